/** The state of a mail in the outbox. `sending` is a waiting one that the courier has claimed. */
export const MESSAGE_STATES = ['waiting', 'sending', 'delivered', 'failed', 'expired', 'superseded'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** What a mail brings. */
export const MESSAGE_KINDS = ['code', 'invitation'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]
