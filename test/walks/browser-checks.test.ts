/** What drives the browser for all other tests: that it finds, types, waits and watches, and that it sees what is bad. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { browserMissing, testBrowser, type Page } from '../support/browser/browser.ts'
import { until } from '../support/browser/patience.ts'
import { textServers } from '../support/browser/text-server.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src *"

const FORM = `<!doctype html><html lang="en" dir="ltr"><title>A form</title>
<main><h1>Topics</h1>
<label>Name <input id="name"></label>
<label>Kind <select id="kind"><option>News</option><option>Long  reads</option></select></label>
<button id="save">Save</button><button aria-label="Delete">x</button><button disabled>Publish</button>
<section aria-label="Footer"><button>Save as</button></section>
<p id="said"></p></main><script src="/form.js"></script>`

const FORM_SCRIPT = `
const said = document.getElementById('said')
const name = document.getElementById('name')
name.addEventListener('paste', () => said.append('pasted '))
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey && event.key === 's') { event.preventDefault(); said.textContent = 'saved by key' }
})
document.getElementById('save').addEventListener('click', () => {
  setTimeout(() => {
    const heading = document.createElement('h2')
    heading.textContent = name.value + ' / ' + document.getElementById('kind').value
    document.querySelector('main').append(heading)
  }, 100)
})`

describe('a browser that tests drive', { skip: browserMissing() }, () => {
  const browser = testBrowser({ after })
  const servers = textServers({ after })
  let page: Page
  before(async () => {
    const bad = { 'console-error': "console.error('broken', 7)", 'console-warning': "console.warn('old')" }
    const url = await servers.serve(
      {
        '/': FORM,
        '/form.js': FORM_SCRIPT,
        '/other': '<title>Another</title>',
        '/inline': `${FORM}<script>alert(1)</script>`,
        ...Object.fromEntries(
          Object.entries(bad).flatMap(([name, script]) => [
            [`/${name}`, `${FORM}<script src="/${name}.js"></script>`],
            [`/${name}.js`, script],
          ]),
        ),
      },
      POLICY,
    )
    page = await browser.open(url)
  })

  describe('as a person does', () => {
    before(() => page.open('/'))
    after(() => page.expectNoProblems())

    it('finds by role and name, whole or by a pattern, and inside of an element', async () => {
      assert.equal((await page.find({ role: 'button', name: 'Delete' })).name, 'Delete')
      assert.deepEqual(
        (await page.findAll({ role: 'button', name: /^Save/ })).map(({ name }) => name),
        ['Save', 'Save as'],
      )
      const footer = await page.find({ role: 'region', name: 'Footer' })
      assert.equal((await page.find({ role: 'button', within: footer })).name, 'Save as')
      assert.equal((await page.find({ role: 'button', name: 'Publish' })).states['disabled'], true)
    })

    it('types, chooses, clicks, and waits for what comes of it', async () => {
      await page.fill({ role: 'textbox', name: 'Name' }, 'before')
      await page.fill({ role: 'textbox', name: 'Name' }, 'Econ')
      await page.type({ role: 'textbox', name: 'Name' }, 'omy')
      await page.select({ role: 'combobox', name: 'Kind' }, 'Long reads')
      await page.click({ role: 'button', name: 'Save' })
      await page.find({ role: 'heading', name: 'Economy / Long reads' })
      await page.reads(/Economy/, { role: 'main' })
    })

    it('presses keys and chords where the focus is, and pastes', async () => {
      await page.press('Ctrl+S')
      await page.reads(/saved by key/)
      await page.fill({ role: 'textbox', name: 'Name' }, '')
      await page.paste({ role: 'textbox', name: 'Name' }, '123456')
      await page.waitFor(async () => (await page.focused())?.value === '123456', 'the text of the clipboard')
      await page.reads(/pasted/)
      await page.press('Tab')
      await page.focuses('Kind')
      await page.press('Shift+Tab')
      await page.focuses('Name')
    })

    it('runs functions in the page, with arguments and results', async () => {
      assert.equal(await page.evaluate((a, b) => `${a}${b} ${document.title}`, 1, 'x'), '1x A form')
      assert.equal(await page.inspect({ role: 'textbox', name: 'Name' }, (element) => element.id), 'name')
      await assert.rejects(
        page.evaluate(() => {
          throw new RangeError('of the page')
        }),
        /RangeError: of the page/,
      )
    })

    it('changes size, colours, motion, time zone and language', async () => {
      await page.resize({ width: 360, height: 640 })
      await page.emulate({ colorScheme: 'dark', timezone: 'Asia/Tokyo', locale: 'ar-EG' })
      await page.emulate({ reducedMotion: true, forcedColors: true })
      const seen = await page.evaluate(() => [
        innerWidth,
        innerHeight,
        matchMedia('(prefers-color-scheme: dark)').matches,
        matchMedia('(prefers-reduced-motion: reduce)').matches,
        matchMedia('(forced-colors: active)').matches,
        Intl.DateTimeFormat().resolvedOptions().timeZone,
        navigator.language,
        Intl.DateTimeFormat().resolvedOptions().locale,
      ])
      assert.deepEqual(seen, [360, 640, true, true, true, 'Asia/Tokyo', 'ar-EG', 'ar-EG'])
      await page.emulate({ colorScheme: 'light', reducedMotion: false, forcedColors: false, locale: 'en-US' })
      await page.resize({ width: 1280, height: 800 })
    })

    it('answers dialogs of scripts, and sees those before a page is left', async () => {
      await page.evaluate(() => void setTimeout(() => document.body.append(String(confirm('Delete it?')))))
      assert.equal(await page.closeDialog('dismiss'), 'Delete it?')
      await page.waitFor(async () => (await page.text()).endsWith('false'), 'the answer')
      await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()))
      await page.click({ role: 'textbox', name: 'Name' })
      await page.evaluate(() => void setTimeout(() => location.assign('/other')))
      await page.waitFor(async () => (await page.title()) === 'Another', 'the other page')
      assert.deepEqual(
        (await page.dialogs()).map(({ type }) => type),
        ['confirm', 'beforeunload'],
      )
      await page.open('/')
    })

    it('keeps what is downloaded', async () => {
      await page.evaluate(() => {
        const link = document.createElement('a')
        link.href = URL.createObjectURL(new Blob(['one,two']))
        link.download = 'topics.csv'
        link.click()
      })
      const [file] = await page.waitFor(() => page.downloads().length > 0 && page.downloads(), 'the file')
      assert.deepEqual([file?.name, String(file?.bytes)], ['topics.csv', 'one,two'])
    })

    it('opens another tab, which shares what is stored for good', async () => {
      await page.evaluate(() => localStorage.setItem('theme', 'dark'))
      const tab = await page.newTab()
      await tab.open('/')
      assert.equal(await tab.evaluate(() => localStorage.getItem('theme')), 'dark')
      assert.equal(await page.evaluate(() => document.visibilityState), 'visible')
      await tab.close()
      assert.equal(await page.title(), 'A form')
    })

    it('says what it waited for, what it saw, and how the page was', async () => {
      await assert.rejects(
        page.waitFor(() => page.evaluate(() => ({ count: 3 }).count > 4), 'four rows', 100),
        /Waited 100 ms for four rows; last seen: false\n.*failed-four-rows\.png\nRootWebArea "A form".*heading "Topics"/s,
      )
    })
  })

  it(
    'ends with its files when the tests are killed',
    { skip: process.platform !== 'linux' && 'it looks into /proc' },
    async (t) => {
      const temporary = temporaryDirectory(t)
      const driver = join(import.meta.dirname, '../support/browser/browser.ts')
      const code = `
      import { testBrowser } from ${JSON.stringify(pathToFileURL(driver).href)}
      await testBrowser({ after() {} }).open('http://127.0.0.1/')
      process.stdout.write('open')
      setInterval(() => {}, 1000)`
      const tests = spawn(process.execPath, ['--input-type=module', '--eval', code], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      t.after(() => tests.kill('SIGKILL'))
      await once(tests.stdout, 'data')
      const directory = join(temporary, ...readdirSync(temporary))
      const [lock = ''] = globSync('profile-*/SingletonLock', { cwd: directory })
      // A link to HOST-PID.
      const pid = Number(readlinkSync(join(directory, lock)).split('-').at(-1))
      assert.ok(isRunning(pid))
      tests.kill('SIGKILL')
      const { value } = await until(() => !isRunning(pid) && !existsSync(directory))
      assert.ok(value, `still there: ${directory}, process ${pid} ${isRunning(pid) ? 'runs' : 'ended'}`)
    },
  )

  describe('watches for problems', () => {
    const told = async (): Promise<readonly string[]> =>
      (await page.problems()).map(({ kind, text }) => `${kind}: ${text}`)
    const assertTold = async (wanted: RegExp): Promise<void> => {
      const problems = await told()
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', wanted)
      await assert.rejects(page.expectNoProblems(), /The page has 1 problems/)
    }
    const forgotten = (): Promise<void> => page.expectNoProblems([{}])
    afterEach(forgotten)

    it('such as an error and a warning of the console', async () => {
      await page.open('/console-error')
      await assertTold(/console: error: .*"broken" 7/)
      await forgotten()
      await page.open('/console-warning')
      await assertTold(/console: warning: .*"old"/)
    })

    it('an uncaught exception and an unhandled rejection', async () => {
      await page.open('/')
      await page.evaluate(() => void setTimeout(() => void Promise.reject(new Error('left alone'))))
      await page.waitFor(async () => (await told()).length > 0, 'the rejection')
      await assertTold(/exception: .*left alone/)
    })

    it('a violation of the content security policy', async () => {
      await page.open('/inline')
      await assertTold(/content security policy: .*inline script/)
    })

    it('a request that is refused, and one without a response, unless they are allowed', async () => {
      await page.open('/')
      await page.evaluate(async () => void (await fetch('/status/412')))
      await assertTold(/request: GET http:.*\/status\/412 got 412/)
      assert.deepEqual(await page.problems([{ status: 412, url: '/status/' }]), [])
      assert.equal((await page.problems([{ status: 403 }, { status: 412, url: '/other' }])).length, 1)
      await forgotten()
      await page.emulate({ offline: true })
      await page.evaluate(async () => void (await fetch('/').catch(() => {})))
      await page.emulate({ offline: false })
      await assertTold(/request: GET http:.* failed: net::ERR_INTERNET_DISCONNECTED/)
    })

    it('a request to any other host', async () => {
      const other = await servers.serve({ '/': 'hello' })
      await page.open('/')
      await page.evaluate(async (foreign) => void (await fetch(foreign)), other)
      await assertTold(/foreign host: a request went to another host: GET http:/)
    })

    it('but not a request that the page gave up itself', async () => {
      await page.open('/')
      await page.evaluate(async () => {
        const stop = new AbortController()
        const answer = fetch('/slow', { signal: stop.signal }).catch(() => {})
        setTimeout(() => stop.abort(), 50)
        await answer
      })
      assert.deepEqual(await told(), [])
      const slow = (await page.requests()).find((request) => request.url.endsWith('/slow'))
      assert.equal(slow?.isCanceled, true)
    })
  })
})

/** A process that ended and was not waited for has no command line. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
