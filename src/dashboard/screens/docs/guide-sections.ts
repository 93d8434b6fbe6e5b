/** The beginning of the reference, and the language of filters. */
import { hrefTo } from '../../places.ts'
import { h } from '../../kit/dom.ts'
import type { ApiDocument } from './api-document.ts'
import { codeBlock } from './code-block.ts'
import { modelForFilter } from './described-models.ts'
import { docsSection } from './docs-section.ts'
import { prose } from './prose.ts'
import { schemaLink } from './schema-view.ts'

/** `address` is that of the service, with a slash at its end. */
export function startSection({ about }: ApiDocument, address: string): HTMLElement {
  const json = "-H 'Content-Type: application/json'"
  const signIn = [
    `curl '${address}api/v1/auth/request-code' ${json} \\`,
    `  -d '{"email":"you@example.org"}'`,
    `curl '${address}api/v1/auth/verify-code' ${json} \\`,
    `  -d '{"email":"you@example.org","code":"123456"}'`,
  ].join('\n')
  return docsSection(
    { segments: ['start'], title: 'Getting started', name: 'Getting started' },
    about === '' ? null : h('p', {}, prose(about)),
    h(
      'p',
      {},
      prose(
        'Signing in takes two requests: the first has a code sent by mail, the reply to the second has the `token`. It goes into the header `Authorization` of all others.',
      ),
    ),
    codeBlock(signIn, 'Signing in with curl'),
    codeBlock(
      `export TOKEN='…'\ncurl '${address}api/v1/data?model=headline&limit=5' \\\n  -H "Authorization: Bearer $TOKEN"`,
      'The first list',
    ),
    h(
      'p',
      {},
      'For programs there is a typed client without dependencies; ',
      h('code', {}, 'npm run client'),
      ' writes it. The whole description is ',
      h('a', { href: 'api/v1/openapi.json' }, 'openapi.json'),
      '.',
    ),
  )
}

const KINDS: Readonly<Record<string, string>> = {
  test: 'What a value must fulfil',
  combination: 'Filters together',
  search: 'Searching',
}

export function filtersSection(api: ApiDocument): HTMLElement {
  const byKind = Map.groupBy(api.operators, ({ kind }) => kind)
  return docsSection(
    { segments: ['filters'], title: 'Filters', name: 'Filters' },
    h(
      'p',
      {},
      prose(
        'A filter is a query of MongoDB in JSON: dotted paths of fields, each with the value that it must have or with operators. It goes into the parameter `filter`, or into the body of a query. ',
      ),
      'Its limits stand at ',
      schemaLink('Filter'),
      '.',
    ),
    [...byKind].map(([kind, operators]) => [
      h('h3', {}, KINDS[kind] ?? kind),
      h(
        'ul',
        { class: 'members operators' },
        operators.map(({ name, about, example }) => {
          const filter = JSON.stringify(example)
          const model = modelForFilter(example, api)
          return h(
            'li',
            {},
            h('p', { class: 'member-name' }, h('code', {}, name), h('span', {}, prose(about))),
            h(
              'p',
              { class: 'operator-example' },
              h('code', {}, filter),
              h('a', { href: hrefTo(['playground'], { model, filter }), 'aria-label': `Try ${name}` }, 'Try'),
            ),
          )
        }),
      ),
    ]),
  )
}
