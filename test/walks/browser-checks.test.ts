/** What all other walks rely on: problems of a page are seen, and so are faults of accessibility, of size and of room. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibilityFindings, expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { coveredFocusFindings, sidewaysFindings } from '../support/browser/room.ts'
import { targetSizeFindings } from '../support/browser/target-size.ts'
import { textServers } from '../support/browser/text-server.ts'

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src *"

const STYLE = `
:root { color-scheme: light dark; --text: #222; --back: #fff; --line: #767676; --ring: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --text: #eee; --back: #111; --line: #8a8a8a; --ring: #8ab4f8 } }
body { color: var(--text); background: var(--back) }
button, input { color: inherit; background: var(--back); border: 1px solid var(--line) }
:focus-visible { outline: 2px solid var(--ring) }
.box { background: #fff; color: #222 }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
#ringless:focus-visible { outline: none }`

const SOUND = `<p>Read <a href="#more" style="color: inherit">more</a>.<span class="unseen" style="color: #ddd">to be heard</span></p>
<label>Name <input></label><label><input type="radio" name="kind"> One</label><label><input type="radio" name="kind"> Two</label>
<button aria-label="Delete"><svg aria-hidden="true" width="9" height="9"></svg></button><button disabled style="color: #ccc">Publish</button>
<div role="tablist" aria-label="Views"><button role="tab" aria-selected="true">Form</button>
<button role="tab" tabindex="-1">JSON</button></div><h2>More</h2>`

/** Faults of one page each, and the lines that tell them. */
const FAULTY = `<button></button><div tabindex="0">x</div><p id="a">x</p><p id="a">y</p><label for="gone">x</label><h4>Deep</h4>
<div role="main">x</div><button tabindex="2">First</button><div aria-hidden="true"><button>Secret</button></div>
<p class="box" style="color: #888">Faint</p><div class="box" style="opacity: 0.5"><p>Pale</p></div>
<div class="box"><input class="box" style="border-color: #ccc" aria-label="Code"></div><svg width="9" height="9"></svg>`
const FAULTS = [
  /^<button> is a button without a name$/,
  /^<div> can have the focus, and its role says nothing$/,
  /"Deep" has the level 4 after 2$/,
  /^the id "a" is given twice$/,
  /names #gone, which is not there$/,
  /^the page has 2 main parts: wanted one$/,
  /"First" has a tabindex above 0$/,
  /"Secret" can have the focus, and is hidden from screen readers$/,
  /^<svg .* is neither hidden/,
  /^light: contrast 3\.54, wanted 4\.5: text of <p\.box> "Faint", #888888 on #ffffff$/,
  /wanted 4\.5: text of <p> "Pale"/,
  /^light: contrast 1\.61, wanted 3: frame of <input\.box>/,
]
const CAUGHT = '<button id="ringless">Next</button><button tabindex="-1">Over</button><input id="hold" aria-label="Code"><button>After</button><script src="/hold.js"></script>'
const FOCUS_FAULTS = [
  /^light: Tab passes over <button> "Over", which has a tabindex below 0$/,
  /^light: the focus on <button#ringless> "Next" cannot be seen$/,
  /^light: the focus is caught: Tab does not leave <input#hold> "Code"$/,
  /^light: Tab never reaches <button> "After"$/,
]
const ROOM = `<style>button { box-sizing: border-box; width: 20px; height: 20px; padding: 0; border: 0; margin: 0 }
.far { margin: 30px } .bar { position: fixed; inset: 0 0 auto; z-index: 1; height: 60px; background: #fff }
body { margin: 0; padding-block-start: 100px } .low { position: absolute; inset-block-start: 5px; inset-inline-start: 5px }</style>
<div class="bar"></div><button class="low far">L</button><button>A</button><button>B</button><p><button class="far">C</button></p>`

const pageWith = (body: string): string =>
  `<!doctype html><html lang="en" dir="ltr"><title>Topics</title><link rel="stylesheet" href="/style.css"><main><h1>Topics</h1>${SOUND}${body}</main>`

describe('the checks of walks', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })
  const servers = textServers({ after })
  let page: Page
  before(async () => {
    const texts = {
      ...{ '/': pageWith(''), '/faulty': pageWith(FAULTY), '/caught': pageWith(CAUGHT), '/style.css': STYLE },
      ...{ '/room': ROOM, '/wide': '<p style="width: 200vw">Wide</p>', '/inline': '<script>alert(1)</script>', '/error': '<script src="/error.js"></script>' },
      '/error.js': "console.error('broken', 7); console.warn('old'); Promise.reject(new Error('left alone'))",
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
      const found = await accessibilityFindings(page, { themes: ['light'], keyboard })
      for (const fault of faults) assert.ok(found.some((line) => fault.test(line)), `${fault} in\n${found.join('\n')}`)
      assert.equal(found.length, faults.length, found.join('\n'))
      await assert.rejects(expectAccessible(page, { themes: ['light'], keyboard }), /faults of accessibility/)
    })
  }

  it('find targets that are too small, what stands beside the page and a focus that is covered', async () => {
    await page.open('/room')
    const small = (await targetSizeFindings(page)).map((line) => line.slice(0, 32))
    assert.deepEqual(small, ['<button> "A" is 20 × 20 pixels w', '<button> "B" is 20 × 20 pixels w'])
    assert.deepEqual(await coveredFocusFindings(page), ['the focus on <button> "L" is covered'])
    assert.deepEqual(await sidewaysFindings(page), [])
    await page.open('/wide')
    assert.match((await sidewaysFindings(page)).join(), /^the page is \d+ wide in \d+/)
  })

  it('tell errors of the console, exceptions, violations of the policy, and requests that fail or go to another host', async () => {
    const told = async (count: number, ...wanted: readonly RegExp[]): Promise<void> => {
      const lines = async (): Promise<readonly string[]> => (await page.problems()).map(({ kind, text }) => `${kind}: ${text}`)
      await page.waitFor(async () => (await lines()).length >= count, `${count} problems`)
      const found = await lines()
      for (const one of wanted) assert.ok(found.some((line) => one.test(line)), `${one} in\n${found.join('\n')}`)
      await assert.rejects(page.expectNoProblems(), /The page has \d problems/)
      await page.expectNoProblems([{}])
    }
    await page.expectNoProblems([{}])
    await page.open('/error')
    await told(3, /console: error: .*"broken" 7/, /console: warning: .*"old"/, /exception: .*left alone/)
    await page.open('/inline')
    await told(1, /content security policy: .*inline script/)
    await page.open('/')
    await page.evaluate(async () => void (await fetch('/status/412')))
    assert.deepEqual(await page.problems([{ status: 412, url: '/status/' }]), [])
    await told(1, /request: GET http:.*\/status\/412 got 412/)
    await page.emulate({ offline: true })
    await page.evaluate(async () => void (await fetch('/').catch(() => {})))
    await page.emulate({ offline: false })
    await told(1, /request: GET http:.* failed: net::ERR_INTERNET_DISCONNECTED/)
    const other = await servers.serve({ '/': 'hello' })
    await page.evaluate(async (foreign) => void (await fetch(foreign)), other)
    await told(1, /foreign host: a request went to another host: GET http:/)
    // A request that the page gives up, or leaves behind, is no problem.
    await page.evaluate(async () => {
      const stop = new AbortController()
      void fetch('/slow').catch(() => {})
      const answer = fetch('/slow', { signal: stop.signal }).catch(() => {})
      stop.abort()
      await answer
    })
    await page.reload()
    await page.expectNoProblems()
  })

  it('tell what was waited for, what was seen, and how the page was', async () => {
    const rows = page.waitFor(() => page.evaluate(() => ({ count: 3 }).count > 4), 'four rows', 0)
    await assert.rejects(rows, /for four rows; last seen: false\n.*failed-four-rows\.png\nRootWebArea "Topics".*heading "Topics"/s)
  })
})
