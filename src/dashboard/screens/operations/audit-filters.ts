/** The fields that narrow the audit trail. */
import { AUDIT_EVENTS } from '../../../models/audit.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { button, fill, h, type Attributes } from '../../kit/dom.ts'
import { choiceAmong, labelled, searchInput } from '../../kit/elements.ts'
import { eventTitle } from './audit-records.ts'
import { isWholeEmail, type AuditSearch } from './audit-search.ts'

const TYPING_PAUSE_MS = 300

/** `onChange` runs with what the fields say; an e-mail address counts once it is complete. */
export function auditFilters(first: AuditSearch, onChange: (search: AuditSearch) => void, signal: AbortSignal) {
  const soon = debounce(TYPING_PAUSE_MS, change)
  signal.addEventListener('abort', soon.cancel)
  const field = (value: string, attributes: Attributes = {}): HTMLInputElement =>
    searchInput({ value, dir: 'ltr', on: { input: soon }, ...attributes })
  const event = choiceAmong(['', ...AUDIT_EVENTS] as const, (one) => (one === '' ? t('all') : eventTitle(one)), { value: first.event, on: { change } })
  const emailProblem = h('p', { id: 'audit-email-problem', class: 'field-problem', role: 'status' })
  const actor = field(first.actor)
  const documentId = field(first.document)
  const email = field(first.email, { 'aria-describedby': emailProblem.id })
  const fields = [event, actor, documentId, email]
  const clear = button(t('list.clear'), clearAll, { hidden: isEmpty() })

  function isEmpty(): boolean {
    return fields.every(({ value }) => value === '')
  }

  function change(): void {
    soon.cancel()
    const typed = email.value.trim()
    const isUsable = typed === '' || isWholeEmail(typed)
    fill(emailProblem, !isUsable && t('audit.wholeEmail'))
    clear.hidden = isEmpty()
    onChange({
      event: event.value,
      actor: actor.value.trim(),
      document: documentId.value.trim(),
      email: isUsable ? typed : '',
    })
  }

  function clearAll(): void {
    for (const one of fields) one.value = ''
    change()
    event.focus()
  }

  return {
    element: h(
      'div',
      { class: 'audit-tools' },
      labelled(t('audit.event'), event),
      labelled(t('audit.actorId'), actor),
      labelled(t('audit.documentId'), documentId),
      h('div', {}, labelled(t('signIn.email'), email), emailProblem),
      h('div', { class: 'buttons' }, clear),
    ),
    search: documentId,
  }
}
