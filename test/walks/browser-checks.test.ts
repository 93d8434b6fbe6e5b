/** What all other walks rely on: problems of a page are seen, and so are faults of accessibility, of size and of room. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibilityFindings, expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { coveredFocusFindings, sidewaysFindings } from '../support/browser/room.ts'
import { fingerFindings } from '../support/browser/finger-size.ts'
import { textServers } from '../support/browser/text-server.ts'

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src *"

const SOUND = `<p>Read <a href="#more">more</a>.</p><label>Name <input></label>
<label><input type="radio" name="kind"> One</label><label><input type="radio" name="kind"> Two</label>
<button aria-label="Delete the topic">Delete</button><button disabled>Publish</button><h2>More</h2>`

/** Faults of one page each, and the lines that tell them. */
const FAULTY = `<button></button><div tabindex="0">x</div><p id="a">x</p><p id="a">y</p><label for="gone">x</label><h4>Deep</h4>
<button aria-label="Delete">Remove</button><div role="main">x</div><div aria-hidden="true"><button>Secret</button></div>
<nav aria-label="Steps"></nav><nav aria-label="Steps"></nav>`
const FAULTS = [
  /^button "" is a button without a name$/,
  /"" can have the focus, and its role says nothing$/,
  /"Deep" has the level 4 after 2$/,
  /^the id "a" is given twice$/,
  /names #gone, which is not there$/,
  /^the page has 2 main parts: wanted one$/,
  /"Remove" shows words that its name does not have$/,
  /"Secret" can have the focus, and is hidden from screen readers$/,
  /^navigation "Steps" is a landmark twice: a list of them tells neither apart$/,
]
const CAUGHT = `<style>#ringless:focus-visible { outline: none }</style><button id="ringless">Next</button>
<input id="hold" aria-label="Code"><button>After</button><script src="/hold.js"></script>`
const FOCUS_FAULTS = [/^the focus on <button#ringless> "Next" cannot be seen$/, /^Tab never reaches <button> "After"$/]
/** A list that is redrawn while the focus is in it, which it keeps. */
const REDRAWN = `<div id="list">${Array.from({ length: 30 }, (_, i) => `<button>${i}</button>`).join('')}</div><script src="/redraw.js"></script>`
const ROOM = `<style>button { height: 44px } .bar { position: fixed; inset: 0 0 auto; z-index: 1; height: 60px }
.low { position: absolute; inset-block-start: 5px; height: 20px; padding: 0 }</style>
<div class="bar"></div><button class="low">L</button><p style="margin-block-start: 100px"><button>A</button></p>`

const pageWith = (body: string): string =>
  `<!doctype html><html lang="en" dir="ltr"><title>Topics</title><main><h1>Topics</h1>${SOUND}${body}</main>`

describe('the checks of walks', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })
  const servers = textServers({ after })
  let page: Page
  before(async () => {
    const texts = {
      ...{ '/': pageWith(''), '/faulty': pageWith(FAULTY), '/caught': pageWith(CAUGHT), '/redrawn': pageWith(REDRAWN) },
      ...{ '/room': ROOM, '/wide': '<p style="width: 200vw">Wide</p>', '/inline': '<script>alert(1)</script>', '/error': '<script src="/error.js"></script>' },
      '/error.js': "console.error('broken', 7); console.warn('old'); Promise.reject(new Error('left alone'))",
      '/redraw.js': "list.children[2].addEventListener('focus', ({ target }) => { list.replaceChildren(...list.children); target.focus() }, { once: true })",
      '/hold.js': "hold.addEventListener('keydown', (event) => { if (event.key === 'Tab') event.preventDefault() })",
    }
    page = await browser.open(await servers.serve(texts, POLICY))
  })

  it('find nothing on a sound page', async () => {
    await page.open('/')
    await expectAccessible(page)
    await page.expectNoProblems()
  })

  for (const [path, keyboard, faults] of [['/faulty', false, FAULTS], ['/caught', true, FOCUS_FAULTS]] as const) {
    it(`find each fault of accessibility of ${path}, and nothing else`, async () => {
      await page.open(path)
      const found = await accessibilityFindings(page, { keyboard })
      for (const fault of faults) assert.ok(found.some((line) => fault.test(line)), `${fault} in\n${found.join('\n')}`)
      assert.equal(found.length, faults.length, found.join('\n'))
      await assert.rejects(expectAccessible(page, { keyboard }), /faults of accessibility/)
    })
  }

  it('go on where a list is redrawn and keeps the focus', async () => {
    await page.open('/redrawn')
    assert.deepEqual(await accessibilityFindings(page), [])
  })

  it('find targets that are too small, what stands beside the page and a focus that is covered', async () => {
    await page.open('/room')
    assert.deepEqual(await fingerFindings(page), ['<button> "L" is 20 pixels high: wanted 44'])
    assert.deepEqual(await coveredFocusFindings(page), ['the focus on <button> "L" is covered'])
    assert.deepEqual(await sidewaysFindings(page), [])
    await page.open('/wide')
    assert.match((await sidewaysFindings(page)).join(), /^the page is \d+ wide in \d+/)
  })

  it('tell errors of the console, exceptions, violations of the policy, and requests that fail or go elsewhere', async () => {
    const wanted = [
      /^console: error: .*"broken" 7/,
      /^console: warning: .*"old"/,
      /^exception: .*left alone/,
      /^content security policy: .*inline script/,
      /^request: GET http:.*\/status\/412 got 412/,
      /^foreign host: a request went to another host: GET http:/,
    ]
    const other = await servers.serve({ '/': 'hello' })
    await page.expectNoProblems([{}])
    await page.open('/error')
    await page.evaluate(async (foreign) => {
      await fetch('/status/412')
      await fetch(foreign)
    }, other)
    await page.open('/inline')
    const told = async (): Promise<boolean> => {
      const lines = (await page.problems()).map(({ kind, text }) => `${kind}: ${text}`)
      return lines.length === wanted.length && wanted.every((one) => lines.some((line) => one.test(line)))
    }
    await page.waitFor(told, 'each problem, once')
    assert.equal((await page.problems([{ status: 412, url: '/status/' }])).length, wanted.length - 1)
    await assert.rejects(page.expectNoProblems(), /The page has 6 problems/)
    await page.expectNoProblems([{}])
  })
})
