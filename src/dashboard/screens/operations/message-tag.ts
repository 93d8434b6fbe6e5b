/** The state of a mail in a word with its colour. */
import type { MessageState } from '../../../models/message-state.ts'
import { t } from '../../texts.ts'
import { tag } from '../../kit/elements.ts'

const TONES: Readonly<Record<MessageState, string>> = {
  ...{ waiting: 'warn', sending: 'warn', delivered: 'good', failed: 'bad', expired: 'bad', superseded: '' },
}

export function messageTag(state: MessageState): HTMLElement {
  return tag(TONES[state], t(`state.${state}`))
}
