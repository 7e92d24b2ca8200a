import { configAt } from './config.ts'
import { openService } from './service.ts'

/** Where the service is. Without an address the one of this folder is opened in this process, and forgets everything with it. */
async function serviceUrl(): Promise<string> {
  const { PEDIDOS_URL: url } = process.env
  if (url !== undefined && url !== '') return url
  const service = await openService()
  service.unref()
  return service.url
}

export default configAt(await serviceUrl())
