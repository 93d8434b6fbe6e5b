/** Data that comes and goes in the dashboard: imports, exports, tokens, codes for persons, and restored backups. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import { startService } from '../support/service/service.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const CSV = [
  'Icon URL,Name,Notes,Description,Status',
  'https://images.example/s.png,"Space, wide",mine,Telescopes,active',
  'https://images.example/m.png,<b>Markup</b>,,=1+1,draft',
  'https://images.example/x.png,Broken,,d,nonsense',
].join('\r\n')

describe('moving data', { skip: browserMissing() }, () => {
  let page: Page
  /** Gives the input a file, as a dialog of the system would. */
  const choose = (name: string, text: string): Promise<unknown> =>
    page.evaluate(
      (file: string, content: string) => {
        const input = document.querySelector<HTMLInputElement>('input[type=file]')
        const transfer = new DataTransfer()
        transfer.items.add(new File([content], file))
        if (input === null) throw new Error('no input')
        input.files = transfer.files
        input.dispatchEvent(new Event('change'))
      },
      name,
      text,
    )

  it('imports a file with preview, mapping, a check, and the rejected rows to download', async () => {
    page = await dashboard.openAs(cast.admin)
    await page.open('/#/operations?part=import&model=topic')
    await page.find({ role: 'combobox', name: 'Import as' })
    await choose('topics.csv', CSV)
    assert.equal((await page.find({ role: 'combobox', name: 'Column for Icon URL' })).value, 'Icon')
    await page.reads(/Encoding: UTF-8/)
    await page.reads(/<b>Markup<\/b>/)
    await page.click(button('Check without writing'))
    await page.reads(/2 new, 0 replaced, 0 unchanged, 1 rejected\. Nothing was written/)
    await page.reads(/Line 4: status: expected one of/)
    await page.click(button('Download rejected rows'))
    const rejected = await page.waitFor(() => page.downloads().find(({ name }) => name === 'rejected.ndjson'), 'the rejected rows')
    assert.equal((JSON.parse(rejected.bytes.toString()) as { line: number }).line, 4)
    await page.click(button('Import'))
    await page.reads(/Imported: 2 new, 0 replaced, 0 unchanged, 1 rejected/)
    await page.click({ role: 'link', name: 'See the list' })
    await page.find({ role: 'link', name: 'Space, wide' })
    await page.expectNoProblems()
  })

  it('exports the list as it is shown', async () => {
    await page.open('/#/topics?q=space')
    await page.find({ role: 'link', name: 'Space, wide' })
    await page.click(button('Export'))
    await page.click(button('CSV'))
    const file = await page.waitFor(() => page.downloads().find(({ name }) => name === 'topic.csv'), 'the file')
    const text = file.bytes.toString()
    assert.match(text, /^id,name,/)
    assert.ok(text.includes('"Space, wide"') && !text.includes('Markup'), text)
    await page.expectNoProblems()
  })

  it('makes a token, shows it once, and revokes it', async () => {
    await page.open('/#/operations?part=tokens')
    await page.reads(/No API tokens yet/)
    await page.click(button('New token'))
    await page.type({ role: 'textbox', name: 'Name' }, 'nightly <i>import</i>')
    await page.click({ role: 'checkbox', name: 'Topics' })
    await page.click({ role: 'checkbox', name: 'Read' })
    await page.press('Enter')
    await page.reads(/Copy it now: it is not shown again/)
    const token = await page.evaluate(() => document.querySelector('.secret code')?.textContent ?? '')
    assert.match(token, /^dl_/)
    assert.equal((await service.data('GET', '', { model: 'topic' }, { token })).status, 200)
    await page.click(button('I have kept it'))
    await page.reads(/nightly <i>import<\/i>/)
    await page.reads(/Dashboard role at most: None · Topics · Read/)
    assert.ok(!(await page.text()).includes(token))
    await page.click(button('Revoke: nightly <i>import</i>'))
    await page.click(button('Revoke'))
    await page.reads(/Revoked “nightly/)
    assert.equal((await service.data('GET', '', { model: 'topic' }, { token })).status, 401)
    await page.expectNoProblems()
  })

  it('makes a code for a person, which signs in', async () => {
    await page.open(`/#/users/${cast.publisher.id}`)
    await page.click(button('Make a code'))
    await page.reads(/enter this e-mail address, and then the code/)
    const code = await page.evaluate(() => document.querySelector('.code-digits')?.textContent ?? '')
    assert.match(code, /^\d{6}$/)
    const body = { email: cast.publisher.email, code, isDashboardLogin: true }
    assert.equal((await service.call('POST', '/api/v1/auth/verify-code', { body })).status, 200)
    await page.click(button('Close'))
    await page.expectNoProblems()
  })

  it('restores a backup after a check and its typed name, and goes on when the service runs again', async () => {
    await page.open('/#/operations?part=backups')
    await page.click(button('Back up now'))
    const { name: label } = await page.find(button(/^Restore: dateline-.*\.db$/))
    const name = label.replace('Restore: ', '')
    const changed = await service.call('PATCH', '/api/v1/admin/settings', { token: cast.admin.token, body: { appName: 'City News' } })
    assert.equal(changed.status, 200)
    await page.click(button(label))
    await page.reads(/All data will be as it was on/)
    await page.reads(/Stored settings that will change: App name/)
    const { assets: pageAssets } = await buildDashboard()
    const again = service.app.replaced.then(async () => {
      await service.stop()
      const port = new URL(service.url).port
      return startService({ after }, { port }, { directory: service.directory, pageAssets, start: Date.now() })
    })
    await page.type({ role: 'textbox', name: /^Type / }, name)
    await page.click(button('Restore and restart'))
    const next = await again
    await page.reads(new RegExp(`Restored ${name}`))
    await page.reads(/The previous database is kept as dateline\.db\.replaced-/)
    await next.stop()
  })
})
