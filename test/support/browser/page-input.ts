/** Hands on a page: clicks, keys and choices as a person makes them, so that what is covered or disabled refuses them. */
import { pressing, type Key } from './key-strokes.ts'
import type { PageElement } from './accessible-nodes.ts'
import { WebDriverError, type Session } from './web-driver.ts'

/** How WebDriver names the member that holds an element's reference. */
const REFERENCE = 'element-6066-11e4-a52e-4f735466cecf'
/** Runs in the page, behind the tasks that are queued: an event that tells of another `#…`, or one that submits a form. */
const NEXT_TASK = 'new Promise((resolve) => setTimeout(resolve))'
/** Where an element stands for a moment, on its way from one protocol to the other. */
const HANDOVER = "globalThis[Symbol.for('handed over')]"

/** Runs a function in the page with the element as its first argument. Rejects with what it throws. */
export async function inElement(
  { devTools }: Session,
  { node }: PageElement,
  code: string,
  values: readonly unknown[] = [],
): Promise<unknown> {
  const { object } = await devTools('DOM.resolveNode', { backendNodeId: node })
  const { objectId } = object as { readonly objectId: string }
  const response = await devTools('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function (...values) { return (${code})(this, ...values) }`,
    arguments: values.map((value) => ({ value })),
    ...{ returnByValue: true, awaitPromise: true, userGesture: true },
  })
  await devTools('Runtime.releaseObject', { objectId })
  return valueOf(response)
}

/** The value of a response of the Runtime domain. Throws what the page threw. */
export function valueOf(response: Readonly<Record<string, unknown>>): unknown {
  const { result, exceptionDetails } = response as {
    readonly result: { readonly value?: unknown }
    readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
  }
  if (exceptionDetails === undefined) return result.value
  throw new Error(`The page threw: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
}

/**
 * Resolves when the page has gone on, also to another one: the driver waits for a navigation that has begun. Without it, a question
 * about the accessibility tree of a document that is about to go may never be answered, and the driver takes no other command then.
 */
export async function settle({ devTools }: Session): Promise<void> {
  // A page that goes meanwhile has no such task any more.
  await devTools('Runtime.evaluate', { expression: NEXT_TASK, awaitPromise: true }).catch(() => {})
}

export interface Input {
  click(element: PageElement): Promise<void>
  type(element: PageElement, text: string): Promise<void>
  fill(element: PageElement, text: string): Promise<void>
  select(element: PageElement, option: string): Promise<void>
  press(chords: readonly Key[]): Promise<void>
}

export function createInput(session: Session): Input {
  const { send } = session
  const reference = async (element: PageElement): Promise<string> => {
    await inElement(session, element, `(element) => { ${HANDOVER} = element }`)
    const found = await send('POST', '/execute/sync', { script: `return ${HANDOVER}`, args: [] })
    return (found as { readonly [REFERENCE]: string })[REFERENCE]
  }
  const press: Input['press'] = async (chords) => {
    await send('POST', '/actions', pressing(chords))
    await settle(session)
  }
  const type: Input['type'] = async (element, text) => {
    await send('POST', `/element/${await reference(element)}/value`, { text })
  }
  return {
    press,
    type,
    async click(element) {
      await send('POST', `/element/${await reference(element)}/click`)
      await settle(session)
    },
    async fill(element, text) {
      await inElement(session, element, '(element) => element.focus()')
      await press(['Ctrl+A', 'Delete'])
      if (text !== '') await type(element, text)
    },
    async select(element, option) {
      const list = await reference(element)
      const options = await send('POST', `/element/${list}/elements`, { using: 'css selector', value: 'option' })
      for (const found of options as readonly { readonly [REFERENCE]: string }[]) {
        const text = String(await send('GET', `/element/${found[REFERENCE]}/property/label`)).trim()
        if (text === option) return void (await send('POST', `/element/${found[REFERENCE]}/click`))
      }
      throw new WebDriverError('select', 'no such element', `there is no option "${option}" in ${element.role} "${element.name}"`)
    },
  }
}
