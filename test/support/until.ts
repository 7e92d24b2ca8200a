import { setTimeout } from 'node:timers/promises'

/** Resolves once the condition holds; asked again and again, for what another process does and nobody announces. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(20)
}
