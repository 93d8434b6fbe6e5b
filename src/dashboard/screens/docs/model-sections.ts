/** Models with who may do what, all schemas, and the codes of errors: what operations link to. */
import { hrefTo } from '../../places.ts'
import { h, type Child } from '../../kit/dom.ts'
import type { ApiDocument } from './api-document.ts'
import type { DescribedModel } from './described-models.ts'
import { docsSection, sectionId } from './docs-section.ts'
import { commonCodes, errorCodes } from './error-codes.ts'
import { lazyDetails } from './lazy-details.ts'
import { textOf } from './loose-json.ts'
import { prose } from './prose.ts'
import { schemaLink, schemaView } from './schema-view.ts'

export function modelSection(model: DescribedModel): HTMLElement {
  const { name, about, schema, createBody, replaceBody, access, search, indexes } = model
  const shape = (words: string, of: string): Child =>
    of === '' ? null : [h('dt', {}, words), h('dd', {}, schemaLink(of))]
  return docsSection(
    { segments: ['models', name], title: h('code', {}, name), name, level: 'h3', kind: 'model' },
    about === '' ? null : h('p', {}, prose(`${about}.`)),
    h(
      'dl',
      { class: 'facts' },
      shape('Document', schema),
      shape('Body to create', createBody),
      shape('Body to replace', replaceBody),
      search.length === 0 ? null : [h('dt', {}, 'Search with q'), h('dd', {}, listed(search))],
    ),
    access.length === 0
      ? null
      : h(
          'table',
          {},
          h('caption', { class: 'spoken' }, `Who may do what with ${name}`),
          h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Operation'), h('th', { scope: 'col' }, 'Who may'))),
          h(
            'tbody',
            {},
            access.map(({ operation, who }) => h('tr', {}, h('th', { scope: 'row' }, operation), h('td', {}, who))),
          ),
        ),
    indexes.length === 0
      ? null
      : [
          h('h4', {}, 'Fast sorts and conditions'),
          h(
            'p',
            { class: 'soft' },
            'A list that sorts so, or asks for values of the first fields and sorts by the next, reads only what it shows.',
          ),
          h(
            'ul',
            { class: 'indexes' },
            indexes.map((fields) => h('li', {}, listed(fields))),
          ),
        ],
    !model.canList ? null : h('p', {}, h('a', { href: hrefTo(['playground'], { model: name }) }, 'Try filters on it')),
  )
}

export function schemaSections({ schemas }: ApiDocument): HTMLElement {
  return docsSection(
    { segments: ['schemas'], title: 'Schemas', name: 'Schemas' },
    h('p', {}, 'Everything that is sent and answered, by name.'),
    [...schemas].map(([name, schema]) =>
      lazyDetails({
        id: sectionId(['schemas', name]),
        summary: name,
        kind: 'schema',
        body: () => [
          textOf(schema['description']) === '' ? null : h('p', {}, prose(textOf(schema['description']))),
          schemaView(schema, schemas),
        ],
      }),
    ),
  )
}

export function errorsSection(api: ApiDocument): HTMLElement {
  const common = commonCodes(api)
  return docsSection(
    { segments: ['errors'], title: 'Errors', name: 'Errors' },
    h(
      'p',
      {},
      prose(
        'Every failure below `/api` is an object with `error`, which has a `code` for programs and a `message` for people. Codes never change; words may.',
      ),
    ),
    h(
      'ul',
      { class: 'members' },
      errorCodes(api).map(({ code, status, about, sample }) =>
        h(
          'li',
          { id: sectionId(['errors', code]) },
          h(
            'p',
            { class: 'member-name' },
            h('code', {}, code),
            h('span', { class: 'soft' }, common.has(code) ? `${status}, of every operation` : status),
          ),
          h('p', {}, prose(`${about}.`)),
          sample === '' ? null : h('p', { class: 'soft' }, `“${sample}”`),
        ),
      ),
    ),
  )
}

function listed(names: readonly string[]): Child {
  return names.map((name, index) => [index === 0 ? null : ', ', h('code', {}, name)])
}
