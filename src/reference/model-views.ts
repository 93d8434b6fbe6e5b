/** What operations link to: models with who may do what, the operators of filters, error codes and schemas. */
import { canList, type DescribedApi, type DescribedModel } from './described-api.ts'
import type { ErrorCodes } from './error-codes.ts'
import { modelFor } from './filter-examples.ts'
import { html, joined, prose, type Html, type Part } from '../base/html.ts'
import { chromeText } from './chrome-text.ts'
import { schemaLink, schemaView } from './schema-view.ts'
import { hrefTo, section } from './section.ts'

const OPERATOR_KINDS = new Map([
  ['test', 'Tests of one value'],
  ['combination', 'Combinations of filters'],
  ['search', 'Search'],
])

export function modelView(model: DescribedModel): Html {
  const { name, about, schema, createBody, replaceBody, access, search, indexes } = model
  const shapes = [['Document', schema], ['Body to create', createBody], ['Body to replace', replaceBody]] as const
  return section(
    { path: `models/${name}`, title: html`<code>${name}</code>`, name, kind: 'Model', level: 3 },
    html`<p>${prose(about)}.</p>
      <dl>
        ${shapes.map(([label, of]) => of !== null && html`<dt>${label}</dt><dd>${schemaLink(of)}</dd>`)}
        ${search.length > 0 && html`<dt>Search with q</dt><dd>${codeList(search)}</dd>`}
      </dl>
      <table>
        <caption class="spoken">Who may do what with ${name}</caption>
        <thead><tr><th scope="col">Operation</th><th scope="col">Who may</th></tr></thead>
        <tbody>
          ${Object.entries(access).map(([one, { who }]) => html`<tr><th scope="row">${one}</th><td>${who}</td></tr>`)}
        </tbody>
      </table>
      ${indexes.length > 0 && html`<h4>Fast sorts and conditions</h4>
        <p class="soft">A list with such a sort, or with values for the first fields and a sort by the next, reads
          only the rows that it returns.</p>
        <ul>${indexes.map(({ fields }) => html`<li>${codeList(fields)}</li>`)}</ul>`}
      ${canList(model) && html`<p><a href="${hrefTo('playground', { model: name })}">Try filters on it</a></p>`}`,
  )
}

export function filtersView(api: DescribedApi): Html {
  const byKind = Map.groupBy(api.operators, ({ kind }) => kind)
  return section(
    { path: 'filters', title: chromeText('docs.filters'), name: 'Filters' },
    html`<p>A filter is a MongoDB query in JSON: dotted paths of fields, each with the value that it must have or with
      operators. It goes into the parameter <code>filter</code>, or into the body of a query. Its limits are in
      ${schemaLink('Filter')}.</p>
      ${[...byKind].map(([kind, operators]) => html`<h3>${OPERATOR_KINDS.get(kind) ?? kind}</h3>
        <ul class="members">
          ${operators.map(({ name, about, example }) => {
            const filter = JSON.stringify(example)
            const href = hrefTo('playground', { model: modelFor(example, api), filter })
            return html`<li data-kind="Filter" data-title="${name}">
              <div class="line"><code>${name}</code></div>
              <p>${prose(about)}</p>
              <div class="line">
                <code>${filter}</code> <a href="${href}" aria-label="Try ${name}">Try</a>
              </div>
            </li>`
          })}
        </ul>`)}`,
  )
}

export function errorsView({ all, common }: ErrorCodes): Html {
  return section(
    { path: 'errors', title: chromeText('docs.errors'), name: 'Errors' },
    html`<p>Every failure below <code>/api</code> is an object with <code>error</code>, which has a <code>code</code>
      for programs and a <code>message</code> for people. Codes never change; messages may.</p>
      <ul class="members">
        ${all.map(
          ({ code, status, about, sample }) => html`<li id="/errors/${code}" data-kind="Error" data-title="${code}">
            <div class="line">
              <code>${code}</code>
              <span class="soft">${status}${common.has(code) && ', of every operation'}</span>
            </div>
            <p>${prose(about)}.</p>
            <p class="soft">“${sample}”</p>
          </li>`,
        )}
      </ul>`,
  )
}

export function schemasView({ schemas }: DescribedApi): Html {
  return section(
    { path: 'schemas', title: chromeText('docs.schemas'), name: 'Schemas' },
    html`<p>All bodies and responses, by name.</p>
      <div>
        ${[...schemas].map(
          ([name, schema]) => html`<details id="/schemas/${name}" data-kind="Schema" data-title="${name}">
            <summary>${name}</summary>
            ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
            ${schemaView(schema, name)}
          </details>`,
        )}
      </div>`,
  )
}

function codeList(names: readonly string[]): Part {
  return joined(names.map((name) => html`<code>${name}</code>`), ', ')
}
