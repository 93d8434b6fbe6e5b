/** One operation: what it does, who may, what it takes, what it answers, examples, and a form to try it. */
import { contentOf, tokenOf, type Operation, type Parameter, type ResponseObject } from './described-api.ts'
import { codesOf, type ErrorCodes } from './error-codes.ts'
import { html, prose, type Html, type Part } from '../base/html.ts'
import { chromeText } from './chrome-text.ts'
import { exampleText, exampleValues, requestExamples, successOf, variantsOf } from './request-examples.ts'
import { memberView, schemaView } from './schema-view.ts'
import { codeText, hrefTo, section, SERVICE_URL } from './section.ts'
import { tryForm } from './try-form.ts'

const TOKEN_TEXTS = { required: 'docs.needsToken', optional: 'docs.takesToken', none: 'docs.needsNoToken' } as const

export function operationView(operation: Operation, codes: ErrorCodes): Html {
  const { operationId, summary, description = '', method, path, parameters = [], requestBody, responses } = operation
  const [about = '', who] = description.split(/\s*Who may: /)
  const body = contentOf(requestBody?.content)
  return section(
    { path: `operations/${operationId}`, title: prose(summary), name: summary, kind: 'Operation', level: 3 },
    html`<p class="line">
        ${methodTag(method)}
        <code>${path}</code>
        <span class="soft">${chromeText(TOKEN_TEXTS[tokenOf(operation)])}</span>
      </p>
      <div class="columns">
        <div class="told">
          ${about !== '' && html`<p>${prose(about)}</p>`}
          ${who !== undefined && part('docs.whoMay', who.split('; ').map((one) => html`<p>${prose(one)}</p>`))}
          ${parameters.length > 0 &&
          part('docs.parameters', html`<ul class="members">${parameters.map(parameterView)}</ul>`)}
          ${body !== undefined && part('docs.body', schemaView(body.schema))}
          ${part('docs.responses', [
            Object.entries(responses).map(([status, response]) => status.startsWith('2') && successView(status, response)),
            html`<ul class="line">
              ${Object.entries(responses).map(([status, response]) => failureView(status, response, codes))}
              <li><a href="#/errors">${chromeText('docs.ofAll')}</a></li>
            </ul>`,
          ])}
        </div>
        ${examplesView(operation)}
      </div>
      ${tryForm(operation)}`,
  )
}

export function methodTag(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`
}

function part(title: Parameters<typeof chromeText>[0], content: Part): Part {
  return [html`<h4>${chromeText(title)}</h4>`, content]
}

function parameterView({ name, in: location, required = false, description, schema, content }: Parameter): Html {
  const own = schema ?? contentOf(content)?.schema ?? {}
  return memberView({ name, schema: own, about: description, isRequired: required, remark: `in the ${location}` })
}

function successView(status: string, { description, headers = {}, content }: ResponseObject): Part {
  const body = contentOf(content)
  return html`<p class="line">
      <span class="tag good">${status}</span> ${prose(description)}${body === undefined && ', without a body'}
    </p>
    ${body !== undefined && schemaView(body.schema)}
    <details>
      <summary>${chromeText('docs.responseHeaders')} (${Object.keys(headers).length})</summary>
      <dl>
        ${Object.entries(headers).map(([name, header]) => html`<dt>${name}</dt><dd>${prose(header.description)}</dd>`)}
      </dl>
    </details>`
}

/** A failure that not every operation has; where it has no codes, its description. */
function failureView(status: string, response: ResponseObject, { common }: ErrorCodes): Part {
  if (status.startsWith('2')) return null
  const codes = codesOf(status, response)
  const own = codes.filter(({ code }) => !common.has(code))
  if (codes.length > 0 && own.length === 0) return null
  const links = own.map(({ code, about }) => html`<a href="${hrefTo(`errors/${code}`)}" title="${about}">${code}</a> `)
  return html`<li><code>${status}</code> ${codes.length === 0 ? prose(response.description) : links}</li>`
}

/** Request and response beside the description; where examples differ by model, with a choice of it. */
function examplesView(operation: Operation): Html {
  const { operationId, summary, responses } = operation
  const variants = variantsOf(operation)
  const success = successOf(responses)
  const examples = variants.map((variant) => ({
    variant,
    requests: requestExamples(operation, exampleValues(operation, variant), `${SERVICE_URL}/`),
    response: exampleText(contentOf(success?.content), variant),
  }))
  const languages = examples[0]?.requests.map(({ language }) => language) ?? []
  const choice = html`<label class="line soft">
    ${chromeText('docs.exampleFor')}
    <select id="variant-${operationId}">${variants.map((one) => html`<option>${one}</option>`)}</select>
  </label>`
  return html`<div class="shown">
    ${variants.length > 1 && choice}
    <div class="code">
      <div class="code-choice" role="group" aria-label="Request: ${summary}">
        ${languages.map((language, index) => {
          const pressed = String(index === 0)
          return html`<button type="button" class="small" aria-pressed="${pressed}">${language}</button>`
        })}
      </div>
      ${examples.map(({ variant, requests }, index) =>
        requests.map(({ language, code }, at) =>
          codeText(code, { label: `Request: ${summary}`, language, variant, isHidden: index + at > 0 }),
        ),
      )}
    </div>
    ${success?.content !== undefined && html`<p class="soft">${chromeText('docs.response')} ${success.status}</p>
      <div class="code">
        ${examples.map(({ variant, response = '' }, index) =>
          codeText(response, { label: `Response: ${summary}`, variant, isHidden: index > 0 }),
        )}
      </div>`}
  </div>`
}
