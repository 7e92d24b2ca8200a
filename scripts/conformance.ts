/** Writes docs/conformance.md anew from test/fixtures/conformance/rows.json. `node --conditions=dale-source scripts/conformance.ts` */
import { writeFileSync } from 'node:fs'
import { conformancePage } from '../test/support/conformance-page.ts'

writeFileSync(new URL('../docs/conformance.md', import.meta.url), conformancePage())
