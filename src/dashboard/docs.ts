/**
 * The script of the page at `/docs`. src/reference makes the page itself at build time, so that it can be read
 * without this; here are the search, the contents, copying, and what sends requests.
 *
 * Its controls are in the language of the reader; the reference is in English like the API and its messages.
 */
import { setUpExamples } from './screens/docs/code-examples.ts'
import { setUpSearch } from './screens/docs/docs-search.ts'
import { openSession } from './screens/docs/docs-session.ts'
import { setUpLanguage } from './screens/docs/docs-texts.ts'
import { setUpPlayground } from './screens/docs/playground.ts'
import { goToHash, setUpContents, setUpFolds } from './screens/docs/reading.ts'
import { setUpForms } from './screens/docs/try-it.ts'
import { markReady } from './ready.ts'

const [contents, search, playground, languages] = ['nav', '.search', 'section:has(> .play)', '.languages'].map((selector) =>
  document.querySelector<HTMLElement>(selector),
) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement]

const session = openSession()
setUpContents(contents)
setUpSearch(search)
setUpExamples()
setUpFolds()
setUpForms(session)
addEventListener('hashchange', goToHash)
goToHash()
await setUpLanguage(languages, session.show)
// The address may have a filter, about which something is said at once.
setUpPlayground(playground, session)
await session.refresh()
markReady(document)
