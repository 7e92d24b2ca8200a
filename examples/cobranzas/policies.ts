import { type Asker, changed, over, type Policy } from 'dale-gateway'
import { customerOf } from './people.ts'

const day = 24 * 60 * 60 * 1000
const supervisor = { kind: 'role', role: 'supervisor', second: false } as const

/** Is it asked for somebody else's debt? A customer may ask for their own alone; who works here, for everybody's. */
const isOthers = (args: unknown, { person }: Asker): boolean =>
  (args as { readonly cliente?: string }).cliente !== customerOf(person?.id)

const amountIn = (args: unknown): number => Number((args as { readonly monto: string }).monto)

/** The house's rules, in the order in which they are judged. A denial stands over all of them, wherever it is. */
export const policies: readonly Policy[] = [
  {
    action: '*',
    when: (_args, { roles }) => roles.length === 0,
    then: 'deny',
    reason: { code: 'UNKNOWN_PERSON', message: 'No te tenemos registrado: escribinos desde el teléfono que nos diste.' },
  },
  {
    action: '*',
    roles: ['cliente'],
    when: isOthers,
    then: 'deny',
    reason: { code: 'SENSITIVE_DESTINATION', message: 'Solo podés pedir sobre tu propia cuenta.' },
  },
  {
    action: 'condonar',
    when: (args) => amountIn(args) > 200_000,
    then: 'deny',
    reason: { code: 'HIGH_COST', message: 'Más de $ 200.000 no se condonan por acá: eso va al comité.' },
  },
  {
    action: 'condonar',
    then: 'confirm',
    approvers: supervisor,
    reason: { code: 'DESTRUCTIVE_OPERATION', message: 'Una condonación la aprueba un supervisor.' },
  },
  {
    action: 'condonar',
    when: (args) => amountIn(args) > 50_000,
    then: 'confirm',
    approvers: { ...supervisor, second: true },
    reason: { code: 'HIGH_COST', message: 'De más de $ 50.000, dos supervisores.' },
  },
  {
    // However it is cut: what is open, approved or done within thirty days counts together.
    action: 'crear_acuerdo',
    when: over({
      field: 'monto',
      perRole: { cliente: '250000', cobrador: '1000000', supervisor: '5000000' },
      withinMs: 30 * day,
    }),
    then: 'confirm',
    approvers: supervisor,
    reason: { code: 'OVER_LIMIT', message: 'Pasa de lo que se acuerda por mes sin un supervisor.' },
  },
  { action: 'cambiar_vencimiento', roles: ['cobrador', 'supervisor'], then: 'allow' },
  {
    action: 'cambiar_vencimiento',
    then: 'confirm',
    approvers: supervisor,
    reason: { code: 'CUSTOM_POLICY_REQUIREMENT', message: 'Correr un vencimiento lo aprueba un supervisor.' },
  },
  {
    action: 'enviar_link_de_pago',
    when: changed({ field: 'correo', of: 'cliente' }),
    then: 'confirm',
    reason: { code: 'UNUSUAL_VALUE', message: 'El correo no es el de la última vez.' },
  },
]
