/** The contents and sections of the page at `/docs`, as they go into src/dashboard/docs.html. */
import { canList, describedApi, type DescribedApi } from './described-api.ts'
import { errorCodes } from './error-codes.ts'
import { filterExamples } from './filter-examples.ts'
import { guideTitle, guideView, type GuideText } from './guide-view.ts'
import { attributes, html, prose, type Html } from '../base/html.ts'
import { chromeLabel, chromeText } from './chrome-text.ts'
import { errorsView, filtersView, modelView, schemasView } from './model-views.ts'
import { methodTag, operationView } from './operation-view.ts'
import { codeBlock, hrefTo, section, SERVICE_URL } from './section.ts'

/** `description` is that of the API in OpenAPI. */
export function referencePage(description: object, guides: readonly GuideText[] = []): string {
  const api = describedApi(description)
  const { info, operations, models } = api
  const codes = errorCodes(operations)
  const page = html`${contentsView(api, guides)}
    <main id="content" tabindex="-1" lang="en" dir="ltr">
      <h1>${info.title} API<span class="soft"> ${info.version}</span></h1>
      ${startView(api)}
      ${playgroundView(api)}
      ${guides.map(guideView)}
      ${byTag(api).map(({ name, description, own }) =>
        section(
          { path: `tags/${name}`, title: name, name },
          html`<p>${prose(description)}.</p>`,
          own.map((operation) => operationView(operation, codes)),
        ),
      )}
      ${section({ path: 'models', title: chromeText('docs.models'), name: 'Models' }, models.map(modelView))}
      ${filtersView(api)}
      ${errorsView(codes)}
      ${schemasView(api)}
    </main>`
  return page.markup
}

function byTag({ tags, operations }: DescribedApi) {
  return tags.map((tag) => ({ ...tag, own: operations.filter((operation) => operation.tags.includes(tag.name)) }))
}

function contentsView(api: DescribedApi, guides: readonly GuideText[]): Html {
  const link = (path: string, label: Html | string): Html => html`<li><a href="${hrefTo(path)}">${label}</a></li>`
  return html`<nav id="contents"${chromeLabel('docs.contents')} popover>
    <ul>
      ${link('start', chromeText('docs.start'))}
      ${link('playground', chromeText('docs.playground'))}
      ${link('filters', chromeText('docs.filters'))}
      ${link('errors', chromeText('docs.errors'))}
      ${link('schemas', chromeText('docs.schemas'))}
    </ul>
    ${guides.length > 0 && html`<p>${chromeText('docs.guides')}</p>
      <ul lang="en">${guides.map((guide) => link(`guides/${guide.topic}`, guideTitle(guide)))}</ul>`}
    ${byTag(api).map(({ name, own }) => html`<p lang="en">${name}</p>
      <ul lang="en">
        ${own.map(({ operationId, method, summary }) =>
          link(`operations/${operationId}`, html`${methodTag(method)} <span>${shortened(summary)}</span>`),
        )}
      </ul>`)}
    <p>${chromeText('docs.models')}</p>
    <ul lang="en">${api.models.map(({ name }) => link(`models/${name}`, name))}</ul>
  </nav>`
}

/** The first part of a long summary: `Read numbers; from this machine` is `Read numbers`. */
function shortened(summary: string): string {
  return summary.replace(/[:;].*$/s, '')
}

function startView({ info }: DescribedApi): Html {
  const json = "-H 'Content-Type: application/json'"
  const signIn = [
    `curl '${SERVICE_URL}/api/v1/auth/request-code' ${json} \\`,
    `  -d '{"email":"you@example.org"}'`,
    `curl '${SERVICE_URL}/api/v1/auth/verify-code' ${json} \\`,
    `  -d '{"email":"you@example.org","code":"123456"}'`,
  ]
  const list = [
    "export TOKEN='…'",
    `curl '${SERVICE_URL}/api/v1/data?model=headline&limit=5' \\`,
    '  -H "Authorization: Bearer $TOKEN"',
  ]
  return section(
    { path: 'start', title: chromeText('docs.start'), name: 'Getting started', kind: 'Guide' },
    html`<p>${prose(info.description)}</p>
      <p>Signing in takes two requests: the first sends a code by mail, the response to the second has the
      <code>token</code>. All other requests send it in the header <code>Authorization</code>.</p>
      ${codeBlock(signIn.join('\n'), 'Signing in with curl')}
      ${codeBlock(list.join('\n'), 'The first list')}
      <p>For programs there is a typed client without dependencies; <a href="docs/client/">download it</a>, or write it by
      <code>dateline client</code>. The whole
      description is <a href="api/v1/openapi.json">openapi.json</a>.</p>`,
  )
}

function playgroundView(api: DescribedApi): Html {
  const models = api.models.filter(canList)
  const placeholder = '{ "status": "active" }'
  const filterInput = html`<textarea class="mono" name="filter" rows="9" spellcheck="false" autocapitalize="off"
    placeholder="${placeholder}" aria-describedby="filter-problem"></textarea>`
  return section(
    { path: 'playground', title: chromeText('docs.playground'), name: 'Filter playground', kind: 'Guide' },
    html`<p>Write a filter and see what it finds in your own data, and the plan by which the service finds it, as
      <code>explain</code> returns it. The URL of this page holds the filter, so that you can share it.</p>
      <div class="session"></div>
      <div class="play">
        <form class="card" novalidate>
          <label class="field"><span>${chromeText('docs.model')}</span>
            <select name="model">${models.map(({ name }) => html`<option>${name}</option>`)}</select>
          </label>
          <label class="field"><span>${chromeText('docs.filter')}</span>
            ${filterInput}
          </label>
          <div class="field-problem" id="filter-problem" role="status"></div>
          <label class="field"><span>${chromeText('docs.sort')}</span>
              <input name="sort" autocomplete="off" spellcheck="false" placeholder="updatedAt:desc">
          </label>
          <label class="field"><span>${chromeText('docs.limit')}</span>
            <input name="limit" type="number" min="1" max="100" value="10" required>
          </label>
          <p class="soft">${chromeText('docs.examples')}</p>
          <div class="buttons" role="group"${chromeLabel('docs.examples')}>
            ${filterExamples(api).map(({ label, about: title, filter, sort, models: of }) => {
              const example = { title, 'data-filter': filter, 'data-sort': sort, 'data-models': of.join(' ') }
              return html`<button type="button" class="small"${attributes(example)}>${label}</button>`
            })}
          </div>
        </form>
        <div class="result"></div>
      </div>
      <p class="spoken" role="status"></p>`,
  )
}
