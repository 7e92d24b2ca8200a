/**
 * The bytes of one secret as Standard Webhooks 1.0 has it: `whsec_` and base64 of 24 to 64 bytes; undefined where it is not one
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function keyOfWebhookSecret(secret: string): Buffer | undefined {
  const [, text] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? []
  const key = text === undefined ? undefined : Buffer.from(text, 'base64')
  return key !== undefined && key.length >= 24 && key.length <= 64 ? key : undefined
}
