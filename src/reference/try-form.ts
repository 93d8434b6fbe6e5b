/** The form that tries an operation: its attributes say which request it sends, its fields have the values. */
import { BYTES_TYPE, contentOf, tokenOf, type Operation, type Parameter } from './described-api.ts'
import { attributes, html, prose, type Html, type Part } from '../base/html.ts'
import { chromeLabel, chromeOption, chromeText } from './chrome-text.ts'
import { exampleText, exampleValues, parameterExample, variantsOf } from './request-examples.ts'

/** These change nothing, though their method could. */
const READING = ['query', 'explain', 'check']

export function tryForm(operation: Operation): Html {
  const { operationId, method, path, parameters = [], requestBody } = operation
  const { given, body } = exampleValues(operation, variantsOf(operation)[0] ?? '')
  const type = contentOf(requestBody?.content)?.type
  if (type === BYTES_TYPE) return html``
  const request = {
    'data-method': method,
    'data-path': path,
    'data-token': tokenOf(operation),
    'data-type': type,
    'data-writes': method !== 'GET' && !READING.includes(operationId),
  }
  const bodyInput = html`<textarea class="mono" name="body" data-location="body" rows="12" spellcheck="false">
${body}</textarea>`
  return html`<details>
    <summary class="button">${chromeText('docs.tryIt')}</summary>
    <form class="try card" novalidate${attributes(request)}>
      <div class="session" id="try-${operationId}-session"></div>
      ${parameters.map((parameter, index) => {
        const value = parameter.required === true && parameter.in !== 'path' ? given[index]?.value : ''
        const about = [prose(parameter.description ?? ''), parameter.required !== true && html` (${chromeText('docs.optional')})`]
        return field(html`<code>${parameter.name}</code>`, about, inputFor(parameter, value ?? '', operation))
      })}
      ${type !== undefined && field(chromeText('docs.body'), 'JSON', bodyInput)}
      <p class="field-problem" id="try-${operationId}-problem" role="alert"></p>
      <div class="buttons">
        <button class="primary" aria-describedby="try-${operationId}-session">${chromeText('docs.send')}</button>
      </div>
      <p class="spoken" role="status"></p>
      <div class="response" role="group"${chromeLabel('docs.response')}></div>
    </form>
  </details>`
}

function field(name: Html, about: Part, input: Html): Html {
  return html`<label class="field">
    <span>${name}</span>
    <span class="field-about">${about}</span>
    ${input}
  </label>`
}

/** Each option of the model brings the example body of that model. */
function inputFor(parameter: Parameter, value: string, { requestBody }: Operation): Html {
  const { name, in: location, required, schema } = parameter
  const common = { name, 'data-location': location, required }
  if (schema?.enum === undefined) {
    const placeholder = parameterExample(parameter)
    return html`<input autocomplete="off" spellcheck="false"${attributes({ ...common, value, placeholder })}>`
  }
  const body = contentOf(requestBody?.content)
  const choices = schema.enum.map(String)
  const options = choices.map((choice) => {
    const hasExample = name === 'model' && Object.hasOwn(body?.examples ?? {}, choice)
    const example = hasExample ? exampleText(body, choice) : undefined
    return html`<option${attributes({ selected: choice === value, 'data-body': example })}>${choice}</option>`
  })
  // Left out until another one is chosen.
  return html`<select${attributes(common)}>${value === '' && chromeOption('docs.optional')}${options}</select>`
}
