import { channelContract } from '../../contracts/channel.ts'
import { openFarSide } from './far-side.ts'

const has = { taps: true, redelivers: true, deletes: true, faults: true }
channelContract({ name: 'Telegram by long polling', has, open: (receive) => openFarSide('polling', receive) })
channelContract({ name: 'Telegram by webhook', has, open: (receive) => openFarSide('webhook', receive) })
