/** Selects the proposal behind a table alias as one JSON value. */
export const proposalJson = (p: string): string =>
  `json_build_object('frozen', ${p}.frozen, 'args', ${p}.canonical_args, 'conversation', ${p}.conversation, 'state', ${p}.state_body, 'revision', ${p}.revision, 'cardRevision', ${p}.card_revision, 'escalatedAt', ${p}.escalated_at)`

/** Selects the showing behind a table alias as one JSON value. It is delivered when its last part is; what was read was delivered. */
export const showingJson = (s: string): string =>
  `json_build_object('proposal', ${s}.proposal, 'cardRevision', ${s}.card_revision, 'conversation', ${s}.conversation, 'messageIds', ${s}.message_ids,
    'acceptedAt', ${s}.accepted_at, 'momentAt', ${s}.moment_at, 'momentOrder', ${s}.moment_order,
    'deliveredAt', (select min(r.at) from dale.report r where r.account = ${s}.account and r.message_id = ${s}.message_ids[cardinality(${s}.message_ids)] and r.status in ('delivered', 'read')))`
