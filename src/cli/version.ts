import { createRequire, findPackageJSON } from 'node:module'

/** The version of the package, in a checkout as in `dist`. */
export function versionOf(): string {
  const file = findPackageJSON(import.meta.url)
  return file === undefined ? '0.0.0' : (createRequire(import.meta.url)(file) as { readonly version: string }).version
}
