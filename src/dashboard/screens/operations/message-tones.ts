/** The colours of the states of mail. */
import type { MessageState } from '../../../models/message-state.ts'

export const MESSAGE_TONES: Readonly<Record<MessageState, string>> = {
  ...{ waiting: 'warn', sending: 'warn', delivered: 'good', failed: 'bad', expired: 'bad', superseded: '' },
}
