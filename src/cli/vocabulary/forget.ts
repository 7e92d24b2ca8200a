import type { Command } from 'commander'
import { readText } from '../read-arguments.ts'
import { answer, type ConfiguredOptions, newVerb, withConfig } from '../verb.ts'

/** `dale vocabulary forget PERSON`: erases the short messages that are kept of a person. */
export const forget = (): Command =>
  withConfig(
    newVerb('forget', 'Erase the near misses of a person; decisions stay.', [
      ['dale vocabulary forget tg:42000001', 'by an identity, or by the id in people'],
    ]),
  )
    .argument('<person>', 'an identity like tg:42000001, or a person’s id in the configuration', readText)
    .action(async (person: string, options: ConfiguredOptions) => {
      const { withOperations } = await import('../with-operations.ts')
      const erased = await withOperations(options, (operations) => operations.forgetNearMisses(person))
      answer(options, { erased }, [erased === 1 ? '1 near miss was erased.' : `${erased} near misses were erased.`])
    })
