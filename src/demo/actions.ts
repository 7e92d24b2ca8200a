import { z } from 'zod'
import { defineAction } from '../actions/define-action.ts'
import type { Field } from '../core/card.ts'
import type { Action } from '../ports/action.ts'
import type { Customer, Ledger } from './ledger.ts'
import type { DemoWords } from './words.ts'

const interestRate = 12n

/** The demo's actions: a plan that the customer confirms, a waiver that a supervisor approves, and a write-off whose amount they type. */
export function demoActions(ledger: Ledger, words: DemoWords): readonly Action[] {
  const openPlan = defineAction({
    name: 'open_payment_plan',
    version: '1',
    description: 'Opens a payment plan for the whole debt of a customer.',
    input: z.object({ customer: z.string().regex(/^\d+$/), instalments: z.int().min(2).max(24) }),
    reversibility: 'reversible',
    idempotency: 'key',
    replacementKey: ({ customer }) => customer,
    preview: ({ customer: id, instalments }) => {
      const customer = ledger.customer(id)
      if (customer === undefined) return { kind: 'denied', message: words.unknownCustomer(id) }
      return {
        summary: words.plan(instalments, customer.name, id),
        fields: [
          { key: 'customer', label: words.customer, value: { kind: 'text', text: `${customer.name} (${id})` } },
          { key: 'instalments', label: words.instalments, value: { kind: 'number', number: instalments } },
          { key: 'total', label: words.total, value: { kind: 'money', amount: customer.debt, currency: customer.currency } },
          ...sharesOf(customer, instalments, words),
        ],
        alsoWill: [words.alsoMail(customer.name)],
      }
    },
    execute: async ({ customer, instalments }, { idempotencyKey }) => {
      ledger.record(idempotencyKey, `plan of ${instalments} for ${customer}`)
      return { message: words.opened(`P-${ledger.effects.length}`) }
    },
    verify: async (_args, _result, { idempotencyKey }) => ledger.has(idempotencyKey),
  })
  const waiveInterest = defineAction({
    name: 'waive_interest',
    version: '1',
    description: "Waives the interest on a customer's debt. A supervisor approves it.",
    input: z.object({ customer: z.string().regex(/^\d+$/) }),
    reversibility: 'observed',
    idempotency: 'key',
    approvers: { kind: 'role', role: 'supervisor', second: false },
    preview: ({ customer: id }) => {
      const customer = ledger.customer(id)
      if (customer === undefined) return { kind: 'denied', message: words.unknownCustomer(id) }
      return {
        summary: words.waiver(customer.name, id),
        fields: [
          { key: 'customer', label: words.customer, value: { kind: 'text', text: `${customer.name} (${id})` } },
          {
            key: 'interest',
            label: words.interest,
            value: { kind: 'money', amount: interestOf(customer), currency: customer.currency },
          },
        ],
      }
    },
    execute: async ({ customer }, { idempotencyKey }) => {
      ledger.record(idempotencyKey, `interest of ${customer}`)
      return { message: words.waived }
    },
  })
  const writeOff = defineAction({
    name: 'write_off',
    version: '1',
    description: "Writes off a part of a customer's debt, for good. A supervisor approves it.",
    input: z.object({ customer: z.string().regex(/^\d+$/), amount: z.string().regex(/^\d{1,9}\.\d{2}$/) }),
    reversibility: 'irreversible',
    typeToConfirm: 'amount',
    idempotency: 'key',
    approvers: { kind: 'role', role: 'supervisor', second: false },
    preview: ({ customer: id, amount }) => {
      const customer = ledger.customer(id)
      if (customer === undefined) return { kind: 'denied', message: words.unknownCustomer(id) }
      const left = centsOf(customer.debt) - centsOf(amount)
      if (left < 0n) return { kind: 'denied', message: words.tooMuch(customer.name) }
      const { currency } = customer
      return {
        summary: words.writeOff(customer.name, id),
        fields: [
          { key: 'customer', label: words.customer, value: { kind: 'text', text: `${customer.name} (${id})` } },
          { key: 'amount', label: words.amount, value: { kind: 'money', amount, currency } },
          { key: 'left', label: words.left, value: { kind: 'money', amount: amountOf(left), currency } },
        ],
      }
    },
    execute: async ({ customer, amount }, { idempotencyKey }) => {
      ledger.record(idempotencyKey, `write-off of ${amount} for ${customer}`)
      return { message: words.writtenOff }
    },
  })
  return [openPlan, waiveInterest, writeOff]
}

/** What is paid each time, and the last time where that differs: together exactly the debt. In whole cents: no float ever holds money. */
function sharesOf({ debt, currency }: Customer, instalments: number, words: DemoWords): readonly Field[] {
  const cents = centsOf(debt)
  const each = cents / BigInt(instalments)
  const last = cents - each * BigInt(instalments - 1)
  const field = (key: string, label: string, amount: bigint): Field => ({
    key,
    label,
    value: { kind: 'money', amount: amountOf(amount), currency },
  })
  return [field('each', words.each, each), ...(last === each ? [] : [field('last', words.last, last)])]
}

const interestOf = ({ debt }: Customer): string => amountOf((centsOf(debt) * interestRate) / 100n)

function centsOf(amount: string): bigint {
  const [units = '0', cents = ''] = amount.split('.')
  return BigInt(units) * 100n + BigInt(cents.padEnd(2, '0'))
}

const amountOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
