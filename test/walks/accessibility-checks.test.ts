/** The checks of accessibility themselves: a page without faults has no findings, and each fault is found by its own line. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessibilityFindings, expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { walkByKeyboard } from '../support/browser/focus-walk.ts'
import { textServers } from '../support/browser/text-server.ts'

const STYLE = `
:root { color-scheme: light dark; --text: #222; --back: #fff; --line: #767676; --ring: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --text: #eee; --back: #111; --line: #8a8a8a; --ring: #8ab4f8 } }
body { color: var(--text); background: var(--back) }
button, input, select { color: inherit; background: var(--back); border: 1px solid var(--line) }
input::placeholder { color: inherit }
:focus-visible { outline: 2px solid var(--ring); transition: outline-color 1s }
.box { background: #fff; color: #222; padding: 4px }
.sound a { color: inherit }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }`

const SOUND = `
<p class="sound">Read <a href="#more">more</a> about it.<span class="unseen" style="color: #ddd">to be heard</span></p>
<label>Name <input placeholder="Economy"></label><label><input type="checkbox"> Breaking</label>
<label><input type="radio" name="kind"> One</label><label><input type="radio" name="kind"> Two</label>
<label>Kind <select><option>News</option></select></label>
<button aria-label="Delete"><svg aria-hidden="true" width="9" height="9"></svg></button>
<button disabled style="color: #ccc">Publish</button>
<svg role="img" aria-label="Headlines per day" width="9" height="9"></svg><img alt="" src="data:,">
<div role="tablist" aria-label="Views"><button role="tab" aria-selected="true">Form</button>
<button role="tab" tabindex="-1">JSON</button></div><h2>More</h2>`

/** What is wrong, what is added to a page without faults, and every line that has to be found about it. */
const FAULTS: readonly (readonly [fault: string, body: string, ...findings: RegExp[]])[] = [
  ['a button without a name', '<button></button>', /^<button> is a button without a name$/],
  ['a field without a label', '<input type="search">', /^<input type="search"> is a searchbox without a name$/],
  ['a div with the focus', '<div tabindex="0">x</div>', /^<div> can have the focus, and its role says nothing$/],
  ['a button that takes no key', '<div role="button">Go</div>', /"Go" is a button that cannot have the focus$/],
  ['a dialog without a name', '<dialog open><p>Sure?</p></dialog>', /^<dialog> is a dialog without a name$/],
  ['an id given twice', '<p id="a">x</p><p id="a">y</p>', /^the id "a" is given twice$/],
  ['a label for nothing', '<label for="gone">x</label>', /names #gone, which is not there$/],
  [
    'an image without alt',
    '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="9" height="9">',
    /^<img> is a/,
    /has no alt$/,
  ],
  ['an SVG that says nothing', '<svg width="9" height="9"></svg>', /^<svg .* is neither hidden/],
  ['a heading that skips a level', '<h4>Deep</h4>', /"Deep" has the level 4 after 2$/],
  ['two main parts', '<div role="main">x</div>', /^the page has 2 main parts: wanted one$/],
  ['a positive tabindex', '<button tabindex="2">First</button>', /"First" has a tabindex above 0$/],
  [
    'a control that is hidden from some',
    '<div aria-hidden="true"><button>Secret</button></div>',
    /"Secret" can have the focus, and is hidden from screen readers$/,
  ],
  [
    'faint text',
    '<p class="box" style="color: #888">Faint</p>',
    /^contrast 3\.54, wanted 4\.5: text of <p\.box> "Faint", #888888 on #ffffff$/,
  ],
  [
    'large text that is too faint',
    '<p class="box" style="color: #999; font-size: 24px">Big</p>',
    /^contrast 2\.85, wanted 3: text/,
  ],
  [
    'text on something translucent',
    '<p class="box"><span style="background: #0008">Dim</span></p>',
    /^contrast 3\.\d+, wanted 4\.5: text of <span> "Dim"/,
  ],
  [
    'text that is translucent with its box',
    '<div class="box" style="opacity: 0.5"><p>Pale</p></div>',
    /wanted 4\.5: text of <p> "Pale"/,
  ],
  [
    'text on a gradient',
    '<p class="box" style="background: linear-gradient(#fff, oklch(0.6 0 0))">Fade</p>',
    /wanted 4\.5: text of <p\.box> "Fade"/,
  ],
  [
    'text before an element',
    '<style>.new::before { content: "New"; color: #999 }</style><p class="box new">Topic</p>',
    /text ::before of <p\.box\.new>/,
  ],
  [
    'a faint placeholder',
    '<style>#q::placeholder { color: #aaa }</style><input id="q" class="box" aria-label="Search" placeholder="Search">',
    /: placeholder of <input#q\.box>/,
  ],
  [
    'a field whose frame is faint',
    '<div class="box"><input class="box" style="border-color: #ccc" aria-label="Name"></div>',
    /^contrast 1\.61, wanted 3: frame of <input\.box>/,
  ],
]

/** The same for those that a walk through the page finds. */
const FOCUS_FAULTS: typeof FAULTS = [
  [
    'a focus that cannot be seen',
    '<style>#n:focus-visible { outline: none }</style><button id="n">Next</button>',
    /^the focus on <button#n> "Next" cannot be seen$/,
  ],
  [
    'a focus that is faint',
    '<style>#n:focus-visible { outline-color: #ddd }</style><div class="box"><button id="n" class="box">Next</button></div>',
    /^the focus on <button#n\.box> "Next" has the contrast 1\.36, wanted 3$/,
  ],
  [
    'a control that Tab passes over',
    '<button tabindex="-1">Over</button>',
    /^Tab passes over <button> "Over", which has a tabindex below 0$/,
  ],
  [
    'an element that holds the focus',
    '<input id="hold" aria-label="Code"><button>After</button><script src="/hold.js"></script>',
    /^the focus is caught: Tab does not leave <input#hold> "Code"$/,
    /^Tab never reaches <button> "After"$/,
  ],
  [
    'two elements that pass the focus to each other',
    '<button id="a">A</button><button id="b">B</button><button>After</button><script src="/loop.js"></script>',
    /^the focus is caught: from <button#b> "B" Tab goes back to <button#a> "A"$/,
    /^Tab never reaches <button> "After"$/,
  ],
]

const ALL_FAULTS = [...FAULTS, ...FOCUS_FAULTS]
const SCRIPTS = {
  '/hold.js': "hold.addEventListener('keydown', (event) => { if (event.key === 'Tab') event.preventDefault() })",
  '/loop.js':
    "b.addEventListener('keydown', (event) => { if (event.key === 'Tab') { event.preventDefault(); a.focus() } })",
}

function pageWith(body: string, { html = 'lang="en" dir="ltr"' } = {}): string {
  return `<!doctype html><html ${html}><title>Topics</title><link rel="stylesheet" href="/style.css"><main><h1>Topics</h1>${SOUND}${body}</main>`
}

describe('checks of accessibility', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })
  const servers = textServers({ after })
  let page: Page
  before(async () => {
    const bare = '<!doctype html><html><p style="color: #000; background: #fff">x</p>'
    const pages = ALL_FAULTS.map(([, body], i) => [`/${i}`, pageWith(body)])
    const sound = { '/': pageWith('<div class="box">In both themes</div>'), '/bare': bare, '/style.css': STYLE }
    page = await browser.open(await servers.serve({ ...sound, ...SCRIPTS, ...Object.fromEntries(pages) }))
  })

  it('find nothing on a sound page, in either theme', async () => {
    await page.open('/')
    await expectAccessible(page)
    const { stops } = await walkByKeyboard(page)
    assert.deepEqual(stops, [
      '<a> "more"',
      '<input>',
      '<input>',
      '<input>',
      '<select> "News"',
      '<button> "Delete"',
      '<button> "Form"',
    ])
  })

  it('find that a page has no language, direction, title, main part or heading', async () => {
    await page.open('/bare')
    assert.deepEqual(await accessibilityFindings(page, { themes: [] }), [
      '<html> has the lang "", which is no language',
      '<html> has the dir "": wanted ltr or rtl',
      'the page has no title',
      'the page has 0 main parts: wanted one',
      'the page has no heading',
    ])
  })

  for (const [i, [fault, , ...wanted]] of ALL_FAULTS.entries()) {
    it(`find ${fault}, and nothing else`, async () => {
      await page.open(`/${i}`)
      const found = await accessibilityFindings(page, { themes: ['light'], keyboard: i >= FAULTS.length })
      const findings = found.map((line) => line.replace('light: ', ''))
      assert.equal(findings.length, wanted.length, findings.join('\n'))
      for (const [at, pattern] of wanted.entries()) assert.match(findings[at] ?? '', pattern)
    })
  }

  it('fail with every line, but for those that are allowed', async () => {
    await page.open('/0')
    await assert.rejects(
      expectAccessible(page),
      /has 1 faults of accessibility:\n {2}<button> is a button without a name$/,
    )
    await expectAccessible(page, { themes: [], allow: [/^<button> is/] })
  })
})
