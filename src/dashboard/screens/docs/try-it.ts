/** The forms that try an operation: the attributes say which request a form sends, its fields have the values. */
import { apiUrl } from '../../api-url.ts'
import { storedToken } from '../../browser-storage.ts'
import { fill, h, setAttributes } from '../../kit/dom.ts'
import { now } from '../../timing.ts'
import type { DocsSession } from './docs-session.ts'
import { docsText, inOwnLanguage } from './docs-texts.ts'
import { requestProblem, type RequestProblem } from './request-problem.ts'
import { responseView } from './response-view.ts'
import { headersOf, targetOf, type Given } from './request.ts'

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function setUpForms(session: DocsSession): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    const body = form.querySelector<HTMLTextAreaElement>('[data-location="body"]')
    let current = new AbortController()
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      current.abort()
      current = new AbortController()
      void submit(form, session, current.signal)
    })
    // The body follows the model until a reader types one.
    form.querySelector('select')?.addEventListener('change', ({ target }) => {
      const example = (target as HTMLSelectElement).selectedOptions[0]?.dataset['body']
      if (body !== null && body.value === body.defaultValue && example !== undefined) {
        body.defaultValue = body.value = example
      }
    })
  }
}

/** The signal ends when the form is sent again. */
async function submit(form: HTMLFormElement, session: DocsSession, signal: AbortSignal): Promise<void> {
  const { method = 'GET', path = '', token = 'none', type, writes } = form.dataset
  const [result, status] = [form.querySelector<HTMLElement>('.response'), form.querySelector<HTMLElement>('[role="status"]')]
  if (result === null || status === null) return
  result.removeAttribute('aria-busy')
  inOwnLanguage(result)
  inOwnLanguage(status)
  const fields = [...form.querySelectorAll<Field>('[data-location]')]
  const given = fields.map((field): Given => ({
    name: field.name,
    location: field.dataset['location'] ?? '',
    required: field.hasAttribute('required'),
    value: field.value,
  }))
  const problem = requestProblem(given)
  showProblem(form, fields, problem)
  if (problem !== undefined) return
  const target = targetOf(path, given)
  if (writes !== undefined && !(await askToWrite(method, `/${target}`))) return
  const sent = token === 'none' ? undefined : storedToken()
  result.setAttribute('aria-busy', 'true')
  try {
    const begun = now()
    const response = await fetch(`${apiUrl()}/${target}`, {
      method,
      signal,
      redirect: 'error',
      cache: 'no-store',
      headers: {
        ...headersOf(given),
        ...(sent === undefined ? {} : { Authorization: `Bearer ${sent}` }),
        ...(type === undefined ? {} : { 'Content-Type': type }),
      },
      body: given.find(({ location }) => location === 'body')?.value ?? null,
    })
    const view = await responseView(response, now() - begun, storedToken())
    if (signal.aborted) return
    fill(result, view)
    fill(status, docsText('docs.responseWas', { status: `${response.status} ${response.statusText}` }))
    if (response.status === 401 || path.includes('/auth/')) void session.refresh()
  } catch {
    if (signal.aborted) return
    fill(result, h('p', { class: 'field-problem' }, docsText('docs.noResponse')))
    fill(status, docsText('docs.noResponse'))
  } finally {
    if (!signal.aborted) result.removeAttribute('aria-busy')
  }
}

function showProblem(form: HTMLFormElement, fields: readonly Field[], problem: RequestProblem | undefined): void {
  const messageElement = form.querySelector<HTMLElement>('.field-problem')
  if (messageElement === null) return
  fill(inOwnLanguage(messageElement), problem?.message)
  for (const field of fields) {
    const isWrong = field.name === problem?.name
    setAttributes(field, { 'aria-invalid': isWrong ? 'true' : null, 'aria-describedby': isWrong ? messageElement.id : null })
    if (isWrong) field.focus()
  }
}

/** Asks before a request that changes the data of the service. True for yes; closing the dialog is a no. */
async function askToWrite(method: string, target: string): Promise<boolean> {
  const dialog = document.querySelector('dialog')
  if (dialog === null) return false
  const { promise: closed, resolve } = Promise.withResolvers<Event>()
  dialog.addEventListener('close', resolve, { once: true })
  dialog.returnValue = ''
  fill(dialog.querySelector('code') ?? dialog, `${method} ${target}`)
  dialog.querySelector('[value="send"]')?.setAttribute('class', method === 'DELETE' ? 'danger' : 'primary')
  dialog.showModal()
  await closed
  return dialog.returnValue === 'send'
}
