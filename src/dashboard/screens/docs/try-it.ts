/** Trying an operation with the session of the dashboard: a form for what it takes, and the reply as it comes. */
import { now } from '../../timing.ts'
import { fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import { callProblem, exampleValues, headersOf, pathOf, queryOf, type CallValues } from './api-call.ts'
import type { ApiOperation, Parameter } from './api-document.ts'
import type { DocsSession } from './docs-session.ts'
import { textsOf } from './loose-json.ts'
import { prose } from './prose.ts'
import { readReply, replyView } from './reply-view.ts'
import { sessionWords } from './session-words.ts'
import { askToWrite } from './write-question.ts'

/** They change nothing, though their method could. */
const READING = new Set(['query', 'explain', 'check'])

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function tryIt(operation: ApiOperation, session: DocsSession, variant: string): HTMLElement {
  const { id, method, path, token, parameters, body } = operation
  const inputs = new Map<string | undefined, Input>()
  const problem = h('p', { class: 'field-problem', id: `try-${id}-problem`, role: 'alert' })
  const result = h('div', { class: 'reply', role: 'group', 'aria-label': 'Reply' })
  const said = h('p', { class: 'spoken', role: 'status' })
  const note = h('div', { id: `try-${id}-session` })
  const send = h('button', { type: 'submit', class: 'primary', 'aria-describedby': note.id }, 'Send')
  let current = new AbortController()

  const values = (): CallValues => ({
    parameters: new Map(parameters.map(({ name }) => [name, inputs.get(name)?.value ?? ''])),
    body: inputs.get(undefined)?.value ?? '',
  })

  const submit = async (): Promise<void> => {
    const given = values()
    const found = callProblem(operation, given)
    fill(problem, found?.message)
    for (const [name, input] of inputs) {
      const isWrong = found !== undefined && name === found.parameter
      setAttributes(input, { 'aria-invalid': isWrong ? 'true' : null, 'aria-describedby': isWrong ? problem.id : null })
      if (isWrong) input.focus()
    }
    if (found !== undefined) return
    const query = queryOf(operation, given).toString()
    const target = `${pathOf(operation, given)}${query === '' ? '' : `?${query}`}`
    const isWriting = method !== 'GET' && !READING.has(id)
    if (isWriting && !(await askToWrite(method, `/${target}`))) return
    current.abort()
    current = new AbortController()
    const { signal } = current
    const used = token === 'none' ? undefined : session.token()
    result.setAttribute('aria-busy', 'true')
    try {
      const begun = now()
      const response = await fetch(session.address + target, {
        method,
        signal,
        redirect: 'error',
        cache: 'no-store',
        headers: {
          ...headersOf(operation, given),
          ...(used === undefined ? {} : { Authorization: `Bearer ${used}` }),
          ...(body === undefined ? {} : { 'Content-Type': body.type }),
        },
        ...(body === undefined ? {} : { body: given.body }),
      })
      const reply = await readReply(response, now() - begun, session.token())
      if (signal.aborted) return
      fill(result, replyView(reply))
      fill(said, `Reply: ${reply.status} ${reply.statusText}`)
      if (reply.status === 401 || path.includes('/auth/')) void session.refresh()
    } catch {
      if (signal.aborted) return
      fill(result, h('p', { class: 'field-problem' }, 'There was no reply. Does the service run, and are you online?'))
      fill(said, 'There was no reply')
    } finally {
      if (!signal.aborted) result.removeAttribute('aria-busy')
    }
  }

  const example = exampleValues(operation, variant)
  const form = h(
    'form',
    {
      class: 'try',
      novalidate: true,
      on: {
        submit(event) {
          event.preventDefault()
          if (!send.disabled) void submit()
        },
      },
    },
    note,
    parameters.map((parameter) => {
      const given = parameter.isRequired && parameter.place !== 'path' ? example.parameters.get(parameter.name) : ''
      const input = inputFor(parameter, given ?? '')
      inputs.set(parameter.name, input)
      return field(parameter.name, [prose(parameter.about), parameter.isRequired ? '' : ' (optional)'], input)
    }),
  )
  if (body !== undefined) {
    const area = h('textarea', { class: 'mono', rows: 12, spellcheck: 'false', value: example.body })
    let isTouched = false
    area.addEventListener('input', () => (isTouched = true))
    inputs.get('model')?.addEventListener('change', (event) => {
      if (!isTouched) area.value = exampleValues(operation, (event.target as HTMLSelectElement).value).body
    })
    inputs.set(undefined, area)
    form.append(field('Body', 'JSON', area))
  }
  form.append(problem, h('div', { class: 'buttons' }, send), said, result)
  session.watch((state) => {
    const isMissing = token === 'required' && (state === 'nobody' || state === 'ended')
    send.disabled = isMissing
    fill(note, token === 'none' ? h('p', { class: 'soft' }, 'Needs no token.') : sessionWords(state))
  })
  return form
}

function inputFor({ schema, example }: Parameter, value: string): Input {
  const choices = textsOf(schema['enum'])
  if (choices.length === 0) {
    return h('input', { value, placeholder: example, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off' })
  }
  const all = value === '' ? ['', ...choices] : choices
  const select = h(
    'select',
    {},
    all.map((one) => h('option', { value: one }, one)),
  )
  select.value = value
  return select
}

function field(name: string, about: Child, input: Input): HTMLElement {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, h('code', {}, name)),
    h('span', { class: 'field-about' }, about),
    input,
  )
}
