/** What could not be done with the chosen rows of a table. */
import { openDialog } from '../dialog.ts'
import { h, type Child } from '../dom.ts'

/** Failures that are told one by one. */
const FAILURES_SHOWN = 50

export interface BulkFailure {
  readonly id: string
  readonly label: string
  readonly reason: string
}

/** Names the documents that something could not be done with, each with the reason. Rows may be read again meanwhile. */
export function tellFailures(title: string, failures: readonly BulkFailure[], focusRows?: () => void): void {
  if (failures.length > 0) openDialog({ title, body: failureList(failures), ...(focusRows && { otherwise: focusRows }) })
}

export function failureList(failures: readonly BulkFailure[]): HTMLElement {
  const line = ({ label, reason }: BulkFailure): Child =>
    h('li', {}, h('strong', {}, h('bdi', {}, label)), h('span', { class: 'soft' }, reason))
  const shown = failures.slice(0, FAILURES_SHOWN)
  return h('ul', { class: 'failures' }, shown.map(line), failures.length > shown.length && h('li', {}, '…'))
}
