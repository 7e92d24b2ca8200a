import { beginEdit } from '../core/edit.ts'
import type { Proposal } from '../core/proposal.ts'
import { ask, type Editing, type EditStep, offeredTo, unlessEditable } from './edit-step.ts'
import type { House } from './house.ts'

/** Somebody tapped Edit, or said so: the first thing that is asked, or why nothing is. Decides and writes nothing. */
export function beginEditing(house: House, proposal: Proposal, editing: Editing): Exclude<EditStep, { kind: 'copy' }> {
  const stop = unlessEditable(house, proposal, editing)
  if (stop !== undefined) return stop
  const offered = offeredTo(house, proposal, editing)
  const edit = beginEdit(offered)
  return ask(house, proposal, edit, offered, editing)
}
