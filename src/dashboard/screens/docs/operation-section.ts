/** One operation: what it does, who may, what it takes, what it answers, examples, and a form to try it. */
import { hrefTo } from '../../places.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { exampleNamed, exampleValues, isSuccess, variantsOf } from './api-call.ts'
import type { ApiOperation, Reply } from './api-document.ts'
import { codeBlock, codeChoice } from './code-block.ts'
import type { DescribedModel } from './described-models.ts'
import { docsSection } from './docs-section.ts'
import type { DocsSession } from './docs-session.ts'
import { codesOf } from './error-codes.ts'
import { lazyDetails } from './lazy-details.ts'
import { shownJson } from './loose-json.ts'
import { prose } from './prose.ts'
import { requestExamples } from './request-examples.ts'
import { memberRow, schemaView, type Schemas } from './schema-view.ts'
import { tryIt } from './try-it.ts'
import { whoMay, withoutWhoMay, type Grantees } from './who-may.ts'

const TOKEN_WORDS = { required: 'Needs a token', optional: 'Takes a token', none: 'Needs no token' } as const

export interface OperationContext {
  readonly schemas: Schemas
  readonly models: readonly DescribedModel[]
  /** Codes of failures that every operation has. */
  readonly common: ReadonlySet<string>
  readonly session: DocsSession
}

export function operationSection(
  operation: ApiOperation,
  { schemas, models, common, session }: OperationContext,
): HTMLElement {
  const { id, summary, method, path, about, token, parameters, body, replies } = operation
  const granted = whoMay(operation, models)
  const words = granted.length === 0 ? about : withoutWhoMay(about)
  const successes = replies.filter(isSuccess)
  const failures = replies.filter((reply) => !isSuccess(reply))
  return docsSection(
    { segments: ['operations', id], title: prose(summary), name: summary, level: 'h3', kind: 'operation' },
    h(
      'p',
      { class: 'route' },
      methodTag(method),
      h('code', {}, path),
      h('span', { class: 'soft' }, TOKEN_WORDS[token]),
    ),
    h(
      'div',
      { class: 'columns' },
      h(
        'div',
        { class: 'told' },
        words === '' ? null : h('p', {}, prose(words)),
        part('Who may', granted.length === 0 ? null : h('dl', { class: 'grants' }, granted.map(grantRow))),
        part(
          'Parameters',
          parameters.length === 0
            ? null
            : h(
                'ul',
                { class: 'members' },
                parameters.map(({ name, place, isRequired, about: meaning, schema }) =>
                  memberRow({ name, isRequired, about: meaning, schema, note: `in the ${place}` }, schemas),
                ),
              ),
        ),
        part('Body', body === undefined ? null : schemaView(body.schema, schemas)),
        part('Replies', [
          successes.map((reply) => successView(reply, schemas)),
          h(
            'ul',
            { class: 'failures' },
            failures.map((reply) => failureView(reply, common)),
            h('li', {}, h('a', { href: hrefTo(['errors']) }, 'those of all operations')),
          ),
        ]),
      ),
      examplesOf(operation, session),
    ),
    lazyDetails({
      summary: 'Try it',
      kind: 'try-fold',
      body: () => tryIt(operation, session, variantsOf(operation)[0] ?? ''),
    }),
  )
}

export function methodTag(method: string): HTMLElement {
  return h('span', { class: `method ${method.toLowerCase()}` }, method)
}

function part(title: string, content: Child): Child {
  return content === null ? null : [h('h4', {}, title), content]
}

function grantRow({ who, models }: Grantees): Child {
  const links = models.map((model, index) => [
    index === 0 ? null : ', ',
    h('a', { href: hrefTo(['models', model]) }, model),
  ])
  return [h('dt', {}, who), h('dd', {}, links)]
}

function successView({ status, about, headers, content }: Reply, schemas: Schemas): Child {
  return [
    h(
      'p',
      { class: 'status-line' },
      h('span', { class: 'tag good' }, status),
      ' ',
      prose(about),
      content === undefined ? ', without a body' : null,
    ),
    content === undefined ? null : schemaView(content.schema, schemas),
    headers.length === 0
      ? null
      : lazyDetails({
          summary: `Headers of the reply (${headers.length})`,
          kind: 'nested',
          body: () =>
            h(
              'dl',
              { class: 'headers' },
              headers.map(({ name, about: words }) => [h('dt', {}, name), h('dd', {}, prose(words))]),
            ),
        }),
  ]
}

/** A failure that not every operation has; where its codes are not told, its words. */
function failureView(reply: Reply, common: ReadonlySet<string>): Child {
  const codes = codesOf(reply)
  const own = codes.filter(({ code }) => !common.has(code))
  if (codes.length > 0 && own.length === 0) return null
  const links = own.map(({ code, about }) => h('a', { href: hrefTo(['errors', code]), title: about }, code))
  return h('li', {}, h('code', {}, reply.status), codes.length === 0 ? prose(reply.about) : links)
}

/** Request and reply beside the description; where examples differ by model, with a choice of it. */
function examplesOf(operation: ApiOperation, session: DocsSession): HTMLElement {
  const { id, summary, replies } = operation
  const variants = variantsOf(operation)
  const request = codeChoice(`Request: ${summary}`)
  const reply = h('div', {})
  const show = (variant: string): void => {
    request.show(requestExamples(operation, exampleValues(operation, variant), session.address))
    const shown = replies.filter(isSuccess).find(({ content }) => content !== undefined)
    const example = exampleNamed(shown?.content?.examples ?? [], variant)
    fill(
      reply,
      example === undefined
        ? null
        : [
            h('p', { class: 'code-title' }, `Reply ${shown?.status ?? ''}`),
            codeBlock(shownJson(example.value), `Reply: ${summary}`),
          ],
    )
  }
  show(variants[0] ?? '')
  const choice = h(
    'select',
    { id: `variant-${id}`, on: { change: () => show(choice.value) } },
    variants.map((one) => h('option', { value: one }, one)),
  )
  return h(
    'div',
    { class: 'shown' },
    variants.length < 2 ? null : h('label', { class: 'variant' }, h('span', {}, 'Example for '), choice),
    request.element,
    reply,
  )
}
