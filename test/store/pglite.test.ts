import { storeContract } from '../contracts/store.ts'
import { anEmptyStore } from '../support/embedded.ts'

storeContract(anEmptyStore)
