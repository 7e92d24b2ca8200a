import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Which addresses inside a network may be called: none, those of any host, or only those of the named hosts. Link-local and the
 * clouds' metadata addresses are open to a host that is named, never to `true`.
 */
export type AllowPrivate = boolean | readonly string[]

/** Where clouds hand credentials to whoever asks; two of them hide in ranges that are otherwise ordinary private networks. */
const metadata = new Set(['169.254.169.254', 'fd00:ec2::254', '100.100.100.200'])
const inside = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'])

/** The address is not one that this action may call. Nothing has left. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError'
}

/** Why this address may not be called; undefined when it may. IPv4 inside IPv6 is judged as the IPv4 that it reaches. */
export function refusalOf(host: string, address: string, allowed: AllowPrivate): RefusedAddressError | undefined {
  if (typeof allowed !== 'boolean' && allowed.includes(host)) return undefined
  const ip = ipaddr.process(address)
  const range = ip.range()
  if (range === 'unicast' && !metadata.has(ip.toString())) return undefined
  if (allowed === true && inside.has(range) && !metadata.has(ip.toString())) return undefined
  return new RefusedAddressError(
    `${host} leads to ${address}, which is not on the public internet (${range}); if that is meant, name the host in allowPrivate`,
  )
}

/**
 * Resolves a host for a connection and refuses it when any of its addresses may not be called. The socket connects to the very
 * addresses that were judged here, so a name that answers differently a second time gains nothing.
 */
export const guardedLookup =
  (allowed: AllowPrivate, resolve: typeof systemLookup = systemLookup): LookupFunction =>
  (host, options, answer) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const refusal =
        error ?? addresses.map(({ address }) => refusalOf(host, address, allowed)).find((refused) => refused !== undefined)
      const [first] = addresses ?? []
      if (refusal || first === undefined) answer(refusal ?? new RefusedAddressError(`${host} has no address`), '')
      else if (options.all) answer(null, addresses)
      else answer(null, first.address, first.family)
    })

/** Judges a host that is written as an address: no resolver is ever asked about those. `host` as `URL` spells it. */
export function refusalOfLiteral(host: string, allowed: AllowPrivate): RefusedAddressError | undefined {
  const address = host.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? undefined : refusalOf(host, address, allowed)
}
