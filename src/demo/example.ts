import type { ConfigInput } from '../config/config.ts'

/** A house that works in a demo: its configuration, and how much its far side did. Disposing it closes the far side. */
export interface OpenExample extends AsyncDisposable {
  readonly config: ConfigInput
  readonly effects: () => number
}

/** Something that can be played: who is on which phone, what they could write, and what stands behind it. The first phone is a customer's. */
export interface Example {
  readonly locale: string
  /** The simulated account that everybody talks to. */
  readonly account: string
  readonly phones: readonly { readonly person: string; readonly name: string; readonly role: 'customer' | 'operator' }[]
  readonly tries: readonly string[]
  open(): Promise<OpenExample>
}

const examples = {
  cobranzas: async (): Promise<Example> => (await import('../../examples/cobranzas/demo.ts')).demo,
  pedidos: async (): Promise<Example> => (await import('../../examples/pedidos/demo.ts')).demo,
}

export type ExampleName = keyof typeof examples

/** What `dale demo --example` knows, by name. */
export const exampleNames = Object.keys(examples) as readonly ExampleName[]

export const isExampleName = (name: string): name is ExampleName => Object.hasOwn(examples, name)

/** Loads an example's own code. */
export const loadExample = (name: ExampleName): Promise<Example> => examples[name]()
