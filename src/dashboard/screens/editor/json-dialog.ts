/** The whole of a document as JSON; loaded when the reader asks for it. */
import type { Members } from '../../any-documents.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { openDialog } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'

export function openJson(title: string, document: Members): void {
  const text = JSON.stringify(document, null, 2)
  openDialog({
    title,
    wide: true,
    body: h('pre', { dir: 'ltr', tabindex: '0', role: 'region', 'aria-label': 'JSON' }, text),
    actions: [copyButton(() => text)],
  })
}
