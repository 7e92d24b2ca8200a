import type { House } from './house.ts'

/** Is a halt on for everything, for this action, or for this account? */
export async function isHalted(house: House, action: string, account: string): Promise<boolean> {
  const halts = await house.store.halts()
  return halts.some(({ scope }) => scope.kind === 'all' || scope.name === (scope.kind === 'action' ? action : account))
}
