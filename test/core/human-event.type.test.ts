import { describe, expectTypeOf, it } from 'vitest'
import type { Decision, DecisionRecord, decisionOf } from '../../src/core/decision.ts'
import type { HumanEvent } from '../../src/core/human-event.ts'
import type { Inbound, InboundMessage, InboundPress } from '../../src/core/inbound.ts'
import type { LifecycleEvent } from '../../src/core/lifecycle.ts'
import type { decide } from '../../src/gateway/decide.ts'
import type { AgentEvent, Fact, Pushed, Spoken, Turn } from '../../src/ports/agent.ts'
import type { HookEvent } from '../../src/ports/hooks.ts'

type Approval = Extract<LifecycleEvent, { name: 'approve' }>
type Refusal = Extract<LifecycleEvent, { name: 'reject' }>

describe('the type of what a person does', () => {
  it('is asked for by whatever decides', () => {
    expectTypeOf<Parameters<typeof decide>[1]>().toEqualTypeOf<HumanEvent>()
    expectTypeOf<Parameters<typeof decisionOf>[0]>().toEqualTypeOf<HumanEvent>()
    expectTypeOf<Approval['decision']>().toEqualTypeOf<Decision>()
    expectTypeOf<Refusal['decision']>().toEqualTypeOf<Decision>()
  })

  it('is no message or press that nobody authenticated', () => {
    expectTypeOf<InboundMessage>().not.toExtend<HumanEvent>()
    expectTypeOf<InboundPress>().not.toExtend<HumanEvent>()
    expectTypeOf<Inbound>().not.toExtend<HumanEvent>()
    expectTypeOf<DecisionRecord>().not.toExtend<Decision>()
  })

  it('is nothing that an agent says or is told, and nothing that a program or a hook gets', () => {
    expectTypeOf<AgentEvent>().not.toExtend<HumanEvent>()
    expectTypeOf<Pushed>().not.toExtend<HumanEvent>()
    expectTypeOf<Turn>().not.toExtend<HumanEvent>()
    expectTypeOf<Spoken>().not.toExtend<HumanEvent>()
    expectTypeOf<Fact>().not.toExtend<HumanEvent>()
    expectTypeOf<HookEvent>().not.toExtend<HumanEvent>()
    expectTypeOf<AgentEvent['kind']>().toEqualTypeOf<'text' | 'propose' | 'remember' | 'withdraw' | 'state'>()
  })
})
