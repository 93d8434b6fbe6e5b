/** A test mail in a dialog: what we and the mail server say to each other, and what to do where it fails. */
import type { Client } from '../../../client/client.ts'
import type { MailTest } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm, tag } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { errorText, orTell, skeleton } from '../../kit/states.ts'

type MailChanges = Parameters<Client['admin']['testMailSettings']>[0]['settings']

/** `email` stands there at first. With other settings than those in use, these are tried. */
export function openTestMail(client: Client, email: string, settings: MailChanges = {}): void {
  const closing = new AbortController()
  const emailField = h('input', {
    type: 'email',
    required: true,
    autofocus: true,
    autocomplete: 'email',
    value: email,
    'aria-describedby': 'test-mail-problem',
  })
  const problem = problemLine('test-mail-problem')
  const send = h('button', { type: 'submit', class: 'primary' }, t('outbox.send'))
  const result = h('div', { class: 'test-result', 'aria-live': 'polite' })
  const submit = (): void => void whileBusy(send, () => orTell(problem, test, tell))
  const buttons = h('div', { class: 'buttons end' }, send)
  const form = submitForm({}, submit, labelled(t('outbox.to'), emailField), problem, buttons)
  const dialog = openDialog({ title: t('outbox.test'), body: [form, result], wide: true })
  void dialog.closed.then(() => closing.abort())

  async function test(): Promise<void> {
    fill(result, skeleton(5))
    const to = emailField.value.trim()
    const isOther = Object.keys(settings).length > 0
    const { admin } = client
    const options = { signal: closing.signal }
    showResult(await (isOther ? admin.testMailSettings({ to, settings }, options) : admin.testMail({ to }, options)))
  }

  function tell(error: unknown): string {
    fill(result)
    return errorText(error)
  }

  function showResult({ delivered, lines, advice }: MailTest): void {
    fill(
      result,
      h('p', {}, tag(delivered ? 'good' : 'bad', t(delivered ? 'outbox.taken' : 'outbox.notTaken'))),
      advice === null ? null : h('p', { dir: 'auto' }, advice),
      h('h3', {}, t('outbox.dialogue')),
      h(
        'pre',
        { dir: 'ltr', tabindex: '0', role: 'region', 'aria-label': t('outbox.dialogue') },
        lines.map((line) => h('span', { class: SPEAKERS[line.charAt(0)] }, `${line}\n`)),
      ),
    )
  }
}

const SPEAKERS: Readonly<Record<string, string>> = { '>': 'we', '<': 'they', '*': 'outcome' }
