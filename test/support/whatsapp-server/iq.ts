import { type BinaryNode, jidNormalizedUser } from 'baileys'
import type { Device } from './device.ts'
import { childOf, childrenOf, node, refusal, result } from './nodes.ts'
import { Own } from './own-phone.ts'
import type { World } from './world.ts'

/** What a logged-in device asks, and of which number it is. */
interface Asked {
  readonly iq: BinaryNode
  readonly own: Own
  readonly device: Device
  readonly world: World
}

/** Which devices a person or number has, as `usync` says it; a person has only a phone (device 0). */
function devicesOf(world: World, jid: string): BinaryNode {
  const who = world.whoIs(jid)
  const linked = who instanceof Own ? [...who.devices.keys()] : []
  const devices = [node('device', { id: 0 }), ...linked.map((id) => node('device', { id, 'key-index': id }))]
  return node('devices', {}, [node('device-list', {}, who === undefined ? [] : devices)])
}

/** `usync`: devices, the LID of a phone number, whether a number is on WhatsApp. */
function synced({ iq, world }: Asked): BinaryNode {
  const asked = childOf(iq, 'usync')
  const users = childrenOf(childOf(asked, 'list')).map((user) => {
    const phone = childOf(user, 'contact')?.content
    const digits = (typeof phone === 'string' ? phone : Buffer.from((phone as Uint8Array | undefined) ?? []).toString()).replace(
      /\D/g,
      '',
    )
    const jid = user.attrs.jid ?? `${digits}@s.whatsapp.net`
    const who = world.whoIs(jid)
    const lid = who !== undefined && jid.endsWith('@s.whatsapp.net') ? [node('lid', { val: who.lid })] : []
    return node('user', { jid: jidNormalizedUser(jid) }, [
      devicesOf(world, jid),
      ...lid,
      node('contact', { type: who === undefined ? 'out' : 'in' }),
    ])
  })
  return result(iq, [node('usync', { sid: asked?.attrs.sid, index: 0, last: 'true' }, [node('list', {}, users)])])
}

/** A key bundle of each device that is named. */
function bundles({ iq, world }: Asked): BinaryNode {
  const users = childrenOf(childOf(iq, 'key')).map(({ attrs: { jid = '' } }) => {
    const who = world.whoIs(jid)
    const linked = who instanceof Own ? [...who.devices.values()].find((one) => one.jid === jid || one.lid === jid) : undefined
    if (who === undefined) return node('user', { jid }, [node('error', { code: 404, text: 'item-not-found' })])
    return linked?.bundleNode(jid) ?? who.signal.bundle(jid)
  })
  return result(iq, [node('list', {}, users)])
}

function encryption(asked: Asked): BinaryNode {
  const { iq, device } = asked
  if (childOf(iq, 'count')) return result(iq, [node('count', { value: device.preKeys.size })])
  if (childOf(iq, 'digest')) return result(iq, [node('digest', {}, [])])
  if (childOf(iq, 'key')) return bundles(asked)
  if (childOf(iq, 'list')) device.stores(iq)
  else if (childOf(iq, 'rotate')) device.rotates(childOf(childOf(iq, 'rotate'), 'skey'))
  return result(iq)
}

/** One group's members, or all groups. */
function groups({ iq, own, world }: Asked): BinaryNode {
  const describe = (id: string): BinaryNode | undefined => {
    const group = world.groups.get(id)
    if (group === undefined) return undefined
    const members = [own, ...group.members].map(({ lid, jid }) =>
      group.addressing === 'lid' ? { jid: lid, phone_number: jid } : { jid: jid ?? lid, lid },
    )
    const attributes = {
      id: id.replace('@g.us', ''),
      subject: 'A group',
      creation: 1,
      s_t: 1,
      size: members.length,
      creator: own.lid,
    }
    return node(
      'group',
      { ...attributes, addressing_mode: group.addressing },
      members.map((member) => node('participant', member)),
    )
  }
  const { to = '' } = iq.attrs
  if (to.startsWith('@') || to === 'g.us')
    return result(iq, [
      node(
        'groups',
        {},
        [...world.groups.keys()].flatMap((id) => describe(id) ?? []),
      ),
    ])
  const group = describe(to)
  return group === undefined ? refusal(iq, 404, 'item-not-found') : result(iq, [group])
}

/** The account's settings have never been changed, so there is nothing to catch up on. */
function settings({ iq }: Asked): BinaryNode {
  const collections = childrenOf(childOf(iq, 'sync')).map(({ attrs: { name } }) =>
    node('collection', { name, version: 0, has_more_patches: 'false' }),
  )
  return result(iq, [node('sync', {}, collections)])
}

const mex = ({ iq }: Asked): BinaryNode =>
  result(iq, [
    node('result', {}, Buffer.from(JSON.stringify({ data: { xwa2_fetch_account_reachout_timelock: { is_active: false } } }))),
  ])

/** What the server answers, by namespace. */
const answers: Readonly<Record<string, (asked: Asked) => BinaryNode>> = {
  encrypt: encryption,
  usync: synced,
  'w:g2': groups,
  'w:sync:app:state': settings,
  'w:mex': mex,
  abt: ({ iq }) => result(iq, [node('props', { hash: 'none' }, [])]),
  blocklist: ({ iq }) => result(iq, [node('list', {}, [])]),
  privacy: ({ iq }) =>
    result(
      iq,
      iq.attrs.type === 'get' ? [node('privacy', {}, [node('category', { name: 'readreceipts', value: 'all' })])] : undefined,
    ),
  'urn:xmpp:whatsapp:dirty': ({ iq }) => result(iq),
  'w:profile:picture': ({ iq }) => refusal(iq, 404, 'item-not-found'),
  'w:stats': ({ iq }) => result(iq),
  'w:p': ({ iq }) => result(iq),
  passive: ({ iq }) => result(iq),
}

/** Answers an iq. One that the server does not know is refused, and is a problem of the test's. */
export function answerTo(asked: Asked): BinaryNode {
  const { xmlns = '' } = asked.iq.attrs
  const answer = answers[xmlns]
  if (answer !== undefined) return answer(asked)
  asked.world.fails(`it is not written what WhatsApp answers to ${xmlns}`, 'iq')
  return refusal(asked.iq, 501, 'feature-not-implemented')
}
