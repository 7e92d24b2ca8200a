import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/**
 * A server of chat completions that others wrote, for the tests of one file: it holds neither our idea of the protocol nor the SDK's. In
 * each test it says nothing until it is told to.
 */
export function someModels(): LLMock {
  const models = new LLMock({ port: 0 })
  beforeAll(() => models.start())
  afterAll(() => models.stop())
  beforeEach(() => {
    models.clearFixtures()
    models.clearRequests()
  })
  return models
}
