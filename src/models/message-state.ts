/** What becomes of a mail in the outbox. `sending` is one that waits and has been taken. */
export const MESSAGE_STATES = ['waiting', 'sending', 'delivered', 'failed', 'expired', 'superseded'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]
