/**
 * The page at `/docs`: the reference of the API, made in the browser of the description that the service gives of
 * itself, so that it is there offline and never of another version.
 *
 * It is in English like the description, its names and the messages of the service: half a translation would make
 * neither language easier to read. `lang` and `dir` of the HTML say so, whatever the dashboard speaks.
 */
import { onTokenChangedElsewhere } from './browser-storage.ts'
import { readApiDocument } from './screens/docs/api-document.ts'
import { openSession } from './screens/docs/docs-session.ts'
import { openReference } from './screens/docs/reference.ts'
import { markReady } from './ready.ts'
import { fill, h } from './kit/dom.ts'

const session = openSession()
onTokenChangedElsewhere(() => void session.refresh())
await Promise.all([load(), session.refresh()])
markReady(document)

async function load(): Promise<void> {
  try {
    const response = await fetch(`${session.address}api/v1/openapi.json`)
    const api = response.ok ? readApiDocument(await response.json()) : undefined
    if (api === undefined) throw new Error(`The service answered ${response.status}, without a description of its API`)
    openReference(api, session)
  } catch (error) {
    const words = error instanceof TypeError ? 'Does it run, and are you online?' : String(error)
    const again = (): void => void load()
    fill(
      document.body,
      h(
        'main',
        { class: 'state failed' },
        h('h1', {}, 'The reference could not be loaded'),
        h('p', { role: 'alert' }, words),
        h('button', { type: 'button', on: { click: again } }, 'Try again'),
      ),
    )
  }
}
