import { describe } from 'vitest'
import { isHere, type Service } from './services.ts'

/** A `describe` that runs where the service is there; elsewhere the suite is listed as left out, with the reason in its name. */
export function describeOn(service: Service, name: string, suite: () => void): void {
  if (isHere(service)) describe(name, suite)
  else describe.skip(`${name} (left out: no ${service} here)`, suite)
}
