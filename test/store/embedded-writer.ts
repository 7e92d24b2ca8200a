import { openEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { aProposal } from '../support/proposals.ts'

// A process that stores proposals until it is killed, and says the id of each one that it was told is stored.
const [folder = ''] = process.argv.slice(2)
const { db } = await openEmbedded(folder)
await migrate({ kind: 'pglite', db })
const store = await openStore({ kind: 'pglite', db })
for (;;) {
  const proposal = aProposal({
    state: 'draft',
    id: `${Date.now()}-${crypto.randomUUID()}`,
    conversation: { account: crypto.randomUUID(), chat: '1' },
  })
  const committed = await store.commit({ create: [proposal] })
  if (committed.kind === 'committed') process.stdout.write(`${proposal.id}\n`)
}
