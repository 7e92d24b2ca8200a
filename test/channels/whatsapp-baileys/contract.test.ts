import { channelContract } from '../../contracts/channel.ts'
import { openFarSide } from './far-side.ts'

// A linked device has no controls but polls, which stand beside the card and not on it (golden.test.ts taps them), and edits nothing.
channelContract({
  name: 'WhatsApp through a linked device',
  has: { taps: false, redelivers: true, deletes: false, faults: true },
  open: openFarSide,
})
