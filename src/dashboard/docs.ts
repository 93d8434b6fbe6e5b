/**
 * The script of the page at `/docs`. src/reference makes the page itself at build time, so that it can be read
 * without this; here are the search, the contents, copying, and what sends requests.
 *
 * It is in English like the description, its names and the messages of the service.
 */
import { setUpExamples } from './screens/docs/code-examples.ts'
import { setUpSearch } from './screens/docs/docs-search.ts'
import { openSession } from './screens/docs/docs-session.ts'
import { setUpPlayground } from './screens/docs/playground.ts'
import { goToHash, setUpContents, setUpFolds } from './screens/docs/reading.ts'
import { setUpForms } from './screens/docs/try-it.ts'
import { markReady } from './ready.ts'

const [contents, search, playground] = ['nav', '.search', 'section:has(> .play)'].map((selector) =>
  document.querySelector<HTMLElement>(selector),
) as [HTMLElement, HTMLElement, HTMLElement]

const session = openSession()
setUpContents(contents)
setUpSearch(search)
setUpExamples()
setUpFolds()
setUpForms(session)
setUpPlayground(playground, session)
addEventListener('hashchange', goToHash)
goToHash()
await session.refresh()
markReady(document)
