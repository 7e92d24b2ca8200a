import type { Command } from 'commander'
import { readText } from './read-arguments.ts'
import { answer, type ConfiguredOptions, newVerb, withConfig } from './verb.ts'

/** `dale memory`: what an agent with a memory of Dale's is given of a conversation. */
export const memory = (): Command => {
  const verb = newVerb('memory', 'What an agent is told of what was said before.', [
    ['dale memory forget front 42000001', 'it begins anew with this chat'],
  ])
  verb.addCommand(forget())
  return verb
}

/** `dale memory forget`: from here on the agent is told nothing of what was said in a chat before. */
const forget = (): Command =>
  withConfig(
    newVerb(
      'forget',
      'Have the agent forget a conversation: its summary is erased, and what was said is not given to it again.',
      [['dale memory forget front 42000001', 'by the account and the chat, as dale proposals show writes them']],
    ),
  )
    .argument('<account>', 'the account', readText)
    .argument('<chat>', 'the chat', readText)
    .argument('[topic]', 'the topic, where there is one', readText)
    .action(async (account: string, chat: string, topic: string | undefined, options: ConfiguredOptions) => {
      const { withOperations } = await import('./with-operations.ts')
      const conversation = { account, chat, ...(topic === undefined ? {} : { topic }) }
      await withOperations(options, (operations) => operations.forgetPast(conversation))
      answer(options, { forgotten: conversation }, ['The agent is told nothing of what was said there before. Open cards stay.'])
    })
