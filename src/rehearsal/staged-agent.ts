import { patternOf } from '../agents/pattern.ts'
import { scriptedAgent } from '../agents/scripted.ts'
import type { Agent } from '../ports/agent.ts'
import type { AgentLine } from './script.ts'

/** Answers by a file's `agent` lines: the first text that a message contains; lines with one text answer in order, the last one stays. */
export function agentOf(lines: readonly AgentLine[]): Agent {
  const onMessages = lines.filter(({ after }) => after === undefined)
  const goingOn = goOn(lines)
  const texts = [...new Set(onMessages.map(({ when }) => when))].map((when) => ({
    pattern: patternOf(when, `agent ${JSON.stringify(when)}`),
    answers: onMessages.filter((line) => line.when === when).map(answerOf),
    given: new Map<string, number>(),
  }))
  return {
    async *run(turn, signal) {
      if (turn.resumed !== undefined) return yield* goingOn.run(turn, signal)
      for (const message of turn.messages) {
        const found = texts.find(({ pattern }) => pattern.match(message.text, 'includes') !== undefined)
        if (found === undefined) continue
        // A turn that is run again is answered the same.
        const index = found.given.get(turn.id) ?? found.given.size
        found.given.set(turn.id, index)
        const answer = found.answers[Math.min(index, found.answers.length - 1)]
        if (answer !== undefined) yield* answer.run({ ...turn, messages: [message] }, signal)
      }
    },
  }
}

function answerOf({ when, says, proposes, withdraws, fails }: AgentLine): Agent {
  if (fails) return failing
  return scriptedAgent([
    {
      when,
      match: 'includes',
      ...(says === undefined ? {} : { say: says }),
      ...(withdraws === undefined ? {} : { withdraw: withdraws }),
      ...(proposes === undefined ? {} : { propose: proposes }),
    },
  ])
}

/** What follows an outcome: the first line about it. */
const goOn = (lines: readonly AgentLine[]): Agent =>
  scriptedAgent([], {
    outcomes: lines.flatMap(({ after, says, proposes }) =>
      after === undefined
        ? []
        : [
            {
              of: after.action,
              ...(after.state === undefined ? {} : { state: after.state }),
              ...(says === undefined ? {} : { say: says }),
              ...(proposes === undefined ? {} : { propose: proposes }),
            },
          ],
    ),
  })

const failing: Agent = {
  run() {
    throw new Error('the agent of this rehearsal fails here, as its file says')
  },
}

/** The same agent, heard: `unanswered` is told of each turn to which it answered nothing. */
export function heard(agent: Agent, unanswered: () => void): Agent {
  return {
    ...agent,
    async *run(turn, signal) {
      let silent = true
      for await (const event of agent.run(turn, signal)) {
        if (event.kind !== 'state') silent = false
        yield event
      }
      // An outcome was told; nobody waits for an answer to it.
      if (silent && turn.resumed === undefined) unanswered()
    },
  }
}
