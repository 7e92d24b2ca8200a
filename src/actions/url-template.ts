/** A URL with places in it, RFC 6570 level 1: `https://crm.example/clients/{cliente}/plans`. */
export interface UrlTemplate {
  readonly names: readonly string[]
  /** The URL with every place filled, each value percent-encoded. Throws a `TypeError` for a value that is no part of a URL. */
  expand(values: Readonly<Record<string, unknown>>): URL
}

const place = /\{([A-Za-z][A-Za-z0-9_]*)\}/g

/**
 * Compiles a template. Places stand behind the host only: arguments choose what is called, never who. Throws a `TypeError` that
 * says what is wrong with the template.
 */
export function urlTemplateOf(template: string): UrlTemplate {
  const names = [...template.matchAll(place)].map(([, name = '']) => name)
  if (/[{}]/.test(template.replace(place, ''))) throw new TypeError('write places as {name}, without operators')
  const probe = new URL(template.replace(place, 'x'))
  if (!['https:', 'http:'].includes(probe.protocol)) throw new TypeError('is an https:// address')
  if (probe.username !== '' || probe.password !== '') throw new TypeError('carries credentials: use headers with env(…)')
  if (new URL(template.replace(place, 'y')).origin !== probe.origin) throw new TypeError('has a place in its host')
  return {
    names,
    expand(values) {
      const url = new URL(template.replace(place, (_, name: string) => encoded(name, values[name])))
      if (url.origin !== probe.origin) throw new TypeError('leads to another host')
      return url
    },
  }
}

function encoded(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new TypeError(`{${name}} has no value`)
  const text = String(value)
  // Dots alone survive percent-encoding, and a URL reads them as "this folder" and "the folder above".
  if (text === '' || text === '.' || text === '..') throw new TypeError(`{${name}} would change the path`)
  return encodeURIComponent(text)
}
