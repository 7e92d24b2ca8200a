import { channelContract } from '../../contracts/channel.ts'
import { openFarSide } from './far-side.ts'

// Nothing that was sent can be edited there, so nothing that was deleted can be found out.
channelContract({
  name: 'The WhatsApp Cloud API',
  has: { taps: true, redelivers: true, deletes: false, faults: true },
  open: openFarSide,
})
