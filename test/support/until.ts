import { setTimeout } from 'node:timers/promises'

/** Resolves once the condition holds; asked again and again, for what nobody announces. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(10)
}
