import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { readScript } from '../../src/rehearsal/read-script.ts'
import { openRehearsalRoom, type RehearsalRoom, type Rehearsed } from '../../src/rehearsal/rehearse.ts'
import type { Script } from '../../src/rehearsal/script.ts'
import { simulatorStage } from '../../src/rehearsal/simulator-stage.ts'
import type { OpenStage } from '../../src/rehearsal/stage.ts'

const folder = join(import.meta.dirname, '..', 'transcripts')

/** Every transcript of the project, by the name of its file. */
export const scripts: readonly Script[] = readdirSync(folder)
  .filter((file) => file.endsWith('.chat'))
  .map((file) => readScript(file, readFileSync(join(folder, file), 'utf8')))

/** A room for the tests of one file, in which transcripts are played. */
export function aRoom(): { readonly plays: (script: Script, stage?: OpenStage) => Promise<Rehearsed> } {
  let room: RehearsalRoom
  beforeAll(async () => {
    room = await openRehearsalRoom({})
  }, 60_000)
  afterAll(async () => await room[Symbol.asyncDispose]())
  return { plays: (script, stage = simulatorStage) => room.rehearse(script, { stage }) }
}
