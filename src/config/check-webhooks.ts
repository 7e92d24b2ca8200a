import type { Problem } from '../core/errors.ts'
import { keyOfWebhookSecret } from '../core/webhook-secret.ts'
import type { Config } from './config.ts'
import type { Variables } from './environment.ts'

/** What is wrong in the addresses that are told: twins, plain http into the world, secrets that are none. */
export function checkWebhooks({ webhooks }: Pick<Config, 'webhooks'>, variables: Variables): readonly Problem[] {
  return webhooks.flatMap(({ url, secretEnv, allowPrivate = [] }, place) => {
    const problems: Problem[] = []
    const at = (field: string, message: string) => problems.push({ path: `webhooks.${place}.${field}`, message })
    const { protocol, hostname, username, password } = new URL(url)
    if (webhooks.findIndex((other) => other.url === url) < place) at('url', 'stands here twice')
    if (username !== '' || password !== '') at('url', 'carries a password: the signature says who sends')
    if (protocol === 'http:' && !allowPrivate.includes(hostname)) at('url', 'is https, unless allowPrivate names its host')
    const secrets = (variables[secretEnv] ?? '').split(' ')
    if (!secrets.every((secret) => keyOfWebhookSecret(secret) !== undefined))
      at(
        'secretEnv',
        `${secretEnv} must hold whsec_ and 24 to 64 bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)`,
      )
    return problems
  })
}
