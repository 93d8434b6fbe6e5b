/** The editor of a document: writing, checking, saving, two people at once, and what strangers may have stored. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { parseExactly } from '../../src/dashboard/exact-json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page, type PageElement } from '../support/browser/browser.ts'
import { button, chooseMore, startDashboard } from '../support/browser/dashboard.ts'
import { COUNTRY, SOURCE, TOPIC } from '../../scripts/tools/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast, read, store: make } = dashboard

const field = (name: string | RegExp, role = 'textbox'): { role: string; name: string | RegExp } => ({ role, name })

const NEW = { title: 'Tide tables', excerpt: 'High water at noon.', url: 'https://harbour.example.org/a' }
const whole = (more: JsonObject = {}): JsonObject => ({
  ...NEW,
  imageUrl: 'https://cdn.example.org/tide.jpg',
  ...{ source: SOURCE, eventCountry: COUNTRY, topic: TOPIC, status: 'active', ...more },
})

async function pick(page: Page, name: string | RegExp, text: string, option: RegExp): Promise<void> {
  await page.fill({ ...field(name, 'combobox'), within: await page.find({ role: 'main' }) }, text)
  await page.click({ role: 'option', name: option })
}

/** Waits for a notice, and takes it out of the way. */
async function said(page: Page, words: string): Promise<void> {
  await page.waitFor(
    () =>
      page.evaluate((wanted) => {
        const notice = [...document.querySelectorAll('.notice')].find((one) => one.textContent.includes(wanted))
        notice?.querySelector<HTMLElement>('button.plain')?.click()
        return notice !== undefined
      }, words),
    `the notice "${words}"`,
  )
}

/** The id in the address, once the document has one. */
async function idOf(page: Page, path: string): Promise<string> {
  return page.waitFor(
    async () => new RegExp(`#/${path}/([0-9a-f]{24})$`).exec(await page.url())?.[1],
    `the address of one of the ${path}`,
  )
}

describe('the editor', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/topics/new')
  })
  const open = async (hash: string, at = page): Promise<void> => {
    await at.open(`/${hash}`)
    for (const discard of await at.findAll(button('Leave'))) await at.click(discard)
    // What was said before must not be taken for what is said now.
    await at.evaluate(() => {
      for (const close of document.querySelectorAll<HTMLElement>('.notice button.plain')) close.click()
    })
    await at.find({ role: 'link', name: /^(Headlines|Topics|Sources)$/, within: await at.find({ role: 'main' }) })
  }

  it('makes a headline with pickers, and shows it as the app does', async () => {
    const topicId = await make('topic', { name: 'Harbours of the north' })
    const sourceId = await make('source', { name: 'The Harbour Post' })
    await open('#/headlines/new')
    await page.fill(field('Title'), 'Ferry line opens')
    await page.fill(field('Excerpt'), 'Two boats a day')
    const href = (): Promise<string | null> => page.inspect({ role: 'link', name: /^Open link/ }, (a) => a.getAttribute('href'))
    await page.fill(field('Link'), 'https://harbour.example.org/<b>')
    await page.waitFor(async () => (await href()) === 'https://harbour.example.org/%3Cb%3E', 'the address of the link')
    // Attack: an address that runs code in the session of its reader.
    await page.fill(field('Link'), ' java\nscript:alert(1)')
    await page.gone({ role: 'link', name: /^Open link/ })
    await page.fill(field('Link'), '')
    // As it is copied from a line of text.
    await page.fill(field('Image'), ' https://cdn.example.org/ferry.jpg ')
    await pick(page, 'Source', 'harbour', /The Harbour Post/)
    // Enter right behind the text, before the list is there.
    await page.click(field('Country', 'combobox'))
    await page.press('i', 'c', 'e', 'l', 'a', 'Enter')
    await page.waitFor(async () => (await page.find(field('Country', 'combobox'))).value === 'Iceland', 'the country of the text')
    await pick(page, 'Country', 'faroe', /Faroe Islands/)
    await pick(page, 'Topic', 'north', /Harbours of the north/)
    // What is typed and not chosen is no choice.
    await page.press('x', 'y', 'z')
    await page.press('Escape')
    assert.equal((await page.find(field('Topic', 'combobox'))).value, 'Harbours of the north')
    const wanted = /The Harbour Post\s+Ferry line opens\s+Two boats a day\s+Harbours of the north\s*Faroe Islands\s*now/
    await page.reads(wanted, { role: 'article' })
    await page.reads(/cdn\.example\.org/, { role: 'article' })
    await page.click(button('Save as draft'))
    const id = await idOf(page, 'headlines')
    const { source, topic, status, imageUrl } = await read('headline', id)
    assert.equal(imageUrl, 'https://cdn.example.org/ferry.jpg')
    assert.deepEqual(source, await read('source', sourceId))
    assert.deepEqual(topic, await read('topic', topicId))
    assert.equal(status, 'draft')
    await page.click(button('Publish'))
    await said(page, 'Saved · Published')
    assert.equal((await read('headline', id))['status'], 'active')
    await page.expectNoProblems()
  })

  // Attack: a pasted list holds markup, and the address of a script.
  it('makes a draft of each line of a pasted list, in its order, and takes them back', async () => {
    const list = '• Ice on the bay\n<img src=x onerror="window.hacked=1"> javascript:alert(1)\n\nFog\thttps://fog.example/1\nGulls https://gulls.example/1  https://gulls.example/1.jpg\n'
    const drafts = async (): Promise<readonly unknown[]> => {
      const query = { model: 'headline', filter: { status: 'draft' }, incomplete: true }
      const { at } = await service.data('GET', '', query, { token: cast.admin.token, isUndescribed: true })
      const items = at('data.items') as readonly JsonObject[]
      return items.map(({ title, excerpt, url, imageUrl }) => [title, excerpt, url, imageUrl])
    }
    const before = await drafts()
    await open('#/headlines/new')
    await page.paste(field('Title'), 'Line\n'.repeat(1_001))
    await page.reads(/A list can have at most 1,000 lines; this one has 1,001/)
    assert.equal((await page.find(field('Title'))).value ?? '', '')
    // "1. FC" is a name, and no number of its line.
    await page.paste(field('Title'), '1. Fog\n2) 1. FC wins')
    await page.reads(/^Fog\s+1\. FC wins$/m, await page.find({ role: 'dialog', name: 'Create 2 drafts?' }))
    await page.click(button('Close'))
    await page.paste(field('Title'), list)
    await page.find({ role: 'dialog', name: 'Create 4 drafts?' })
    await expectAccessible(page, { keyboard: false })
    await page.click(button('Create drafts'))
    await page.reads(/4 drafts created/)
    const made = (await drafts()).filter((one) => !before.some((other) => String(other) === String(one)))
    assert.deepEqual(made, [
      ['Ice on the bay', '', undefined, ''],
      ['<img src=x onerror="window.hacked=1"> javascript:alert(1)', '', undefined, ''],
      ['Fog', '', 'https://fog.example/1', ''],
      ['Gulls', '', 'https://gulls.example/1', 'https://gulls.example/1.jpg'],
    ])
    assert.equal(await page.evaluate(() => 'hacked' in window), false)
    await page.press('Ctrl+Z')
    await page.waitFor(async () => (await drafts()).length === before.length, 'the drafts to go')
    await page.expectNoProblems()
  })

  // A draft may lack its title and source: its list of missing members named them and, once they were visited, they were red as well.
  it('shows the problems of a field once it was visited, and what a draft lacks after a try to publish it', async () => {
    await open('#/headlines/new')
    const problemAt = async (name: string | RegExp, role?: string): Promise<string> =>
      (await page.find(field(name, role))).description
    await page.find(button('Title'))
    await page.fill(field('Image'), 'no link')
    await page.press('Tab')
    await page.waitFor(async () => (await problemAt('Image')).startsWith('Enter a link'), 'the problem of the image')
    assert.equal((await page.find(field('Image'))).states['invalid'], 'true')
    await page.click(button('Save as draft'))
    await page.focuses('Image')
    assert.deepEqual([await problemAt('Title'), await problemAt('Source', 'combobox')], ['', ''])
    await page.fill(field('Image'), '')
    await page.waitFor(async () => (await problemAt('Image')) === '', 'the problem to go')
    await page.click(button('Publish'))
    await page.waitFor(async () => (await problemAt('Title')) === 'Enter a title', 'the problem of the title')
    await page.fill(field('Title'), 'Something')
    await page.click(button('Publish'))
    await page.waitFor(async () => (await problemAt('Topic', 'combobox')) === 'Choose a topic', 'all problems')
    assert.equal(await problemAt('Source', 'combobox'), 'Choose a source')
    await page.expectNoProblems([{ status: 400 }])
  })

  it('saves with Ctrl+S, and asks before anything is lost', async () => {
    const id = await make('headline', whole())
    await open(`#/headlines/${id}`)
    await page.fill(field('Title'), 'Tide tables 2')
    await page.find({ role: 'StaticText', name: 'Unsaved changes' })
    await page.press('Ctrl+S')
    await page.find({ role: 'heading', name: 'Tide tables 2' })
    await page.gone({ role: 'StaticText', name: 'Unsaved changes' })
    assert.equal((await read('headline', id))['title'], 'Tide tables 2')
    await page.fill(field('Title'), 'Never')
    await page.click({ role: 'link', name: 'Topics' })
    await page.click(button('Cancel'))
    assert.equal((await page.find(field('Title'))).value, 'Never')
    assert.match(await page.url(), new RegExp(`${id}$`))
    // Another language rebuilds the page.
    await page.select({ role: 'combobox', name: 'Language' }, 'Deutsch')
    await page.click(button('Cancel'))
    assert.equal((await page.find(field('Title'))).value, 'Never')
    await page.click({ role: 'link', name: 'Topics' })
    await page.click(button('Leave'))
    await page.find({ role: 'heading', name: 'Topics' })
    await page.expectNoProblems()
  })

  // While it was offered, nothing that was typed was kept; and it was erased when another new document was saved.
  it('keeps what is typed beside what it offers, until the reader has decided about both', async () => {
    await open('#/topics/new')
    const kept = (text: string): Promise<unknown> =>
      page.waitFor(() => page.evaluate((wanted) => Object.values(localStorage).some((one) => String(one).includes(wanted)), text), `${text} to be kept`)
    for (const name of ['First idea', 'Second idea']) {
      await page.fill(field('Name'), name)
      await kept(name)
      await page.reload()
      await page.find(button('Restore it'))
      assert.equal((await page.find(field('Name'))).value ?? '', '')
    }
    // On a phone, one letter stood below the other beside the buttons.
    await page.resize({ width: 360, height: 740 })
    const width = await page.evaluate(() => document.querySelector('.live .banner > span')?.getBoundingClientRect().width ?? 0)
    await page.resize({ width: 1280, height: 800 })
    assert.ok(width > 150, `${width} pixels for the words`)
    await page.click(button('Restore it'))
    await page.waitFor(async () => (await page.find(field('Name'))).value === 'Second idea', 'the newest text')
    await page.click(button('Save as draft'))
    await page.find({ role: 'heading', name: 'Second idea' })
    await page.gone(button('Restore it'))
    await open('#/topics/new')
    await page.click(button('Restore it'))
    await page.waitFor(async () => (await page.find(field('Name'))).value === 'First idea', 'the text before')
    await page.gone(button('Restore it'))
    await page.fill(field('Name'), '')
    await page.expectNoProblems()
  })

  it('shows two people what each made of one headline, and loses nothing of either', async () => {
    const id = await make('headline', whole({ tags: ['sea'] }))
    await open(`#/headlines/${id}`)
    const theirs = { title: 'Their title', excerpt: 'Their excerpt' }
    await page.fill(field('Title'), 'My title')
    await service.data('PATCH', `/${id}`, { model: 'headline' }, { token: cast.publisher.token, body: theirs })
    await page.fill(field('Link'), 'https://mine.example.org/')
    await page.press('Ctrl+S')
    const dialog = await page.find({ role: 'dialog', name: 'Someone else saved changes too' })
    const groups = await page.findAll({ role: 'group', within: dialog })
    assert.deepEqual(groups.map(({ name }) => name), ['Title', 'Excerpt', 'Link'])
    await expectAccessible(page)
    await page.click({ role: 'radio', name: /^Theirs/, within: groups[0] as PageElement })
    await page.click(button('Save merged version'))
    const now = await page.waitFor(async () => {
      const stored = await read('headline', id)
      return stored['url'] === 'https://mine.example.org/' && stored
    }, 'the choice to be saved')
    assert.deepEqual(
      [now['title'], now['excerpt'], now['url'], now['tags']],
      ['Their title', 'Their excerpt', 'https://mine.example.org/', ['sea']],
    )
    await page.expectNoProblems([{ status: 412 }])
  })

  it('keeps what is typed while it learns that another user has saved', async () => {
    const id = await make('headline', whole())
    await open(`#/headlines/${id}`)
    await page.fill(field('Title'), 'My title')
    const body = whole({ title: 'Their title' })
    const query = { token: cast.admin.token, body }
    assert.equal((await service.data('PUT', `/${id}`, { model: 'headline' }, query)).status, 200)
    await page.evaluate(() => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }))
      const excerpt = document.querySelector<HTMLTextAreaElement>('textarea[name=excerpt]')
      if (excerpt === null) return
      excerpt.value = 'Typed meanwhile'
      excerpt.dispatchEvent(new Event('input'))
    })
    await page.click(button('Save merged version'))
    await said(page, 'Saved')
    assert.equal((await page.find(field('Excerpt'))).value, 'Typed meanwhile')
    assert.deepEqual(
      [(await read('headline', id))['title'], (await read('headline', id))['excerpt']],
      ['My title', 'High water at noon.'],
    )
    await page.find({ role: 'StaticText', name: 'Unsaved changes' })
    await page.expectNoProblems([{ status: 412 }])
  })

  it('tells of a change to a draft that lacks members as it happens', async () => {
    const made = await service.data('POST', '', { model: 'headline', incomplete: true }, { token: cast.admin.token, body: { title: 'Short', status: 'draft' }, isUndescribed: true })
    const id = String(made.at('data.id'))
    await open(`#/headlines/${id}`)
    await page.find({ role: 'heading', name: 'Short' })
    const query = { token: cast.publisher.token, body: { title: 'Longer', status: 'draft' }, isUndescribed: true } as const
    await page.fill(field('Excerpt'), 'Mine')
    assert.equal((await service.data('PUT', `/${id}`, { model: 'headline', incomplete: true }, query)).status, 200)
    await page.reads(/Changed just now by/)
    await page.click(button('Review'))
    await page.click(button('Save merged version'))
    await page.find({ role: 'heading', name: 'Longer' })
    await page.expectNoProblems()
  })

  it('lists no field as missing that was filled in and saved immediately', async () => {
    await open('#/headlines/new')
    await page.fill(field('Excerpt'), 'Quick')
    await page.click(button('Save as draft'))
    await page.find(button('Title'))
    await page.fill(field('Title'), 'Quick')
    await page.press('Ctrl+S')
    await page.gone(button('Title'))
    await page.find(button('Topic'))
    await page.expectNoProblems()
  })

  it('creates again what another user deleted', async () => {
    const id = await make('headline', whole())
    await open(`#/headlines/${id}`)
    await page.fill(field('Title'), 'Still here')
    await service.data('DELETE', `/${id}`, { model: 'headline' }, { token: cast.admin.token })
    await page.click(button('Update'))
    await page.click(button('Create again'))
    await said(page, 'Saved')
    const next = await page.waitFor(async () => {
      const now = await idOf(page, 'headlines')
      return now === id ? undefined : now
    }, 'another id')
    assert.equal((await read('headline', next))['title'], 'Still here')
    await page.expectNoProblems([{ status: 404 }, { status: 412 }])
  })

  it('duplicates with all members, deletes, and takes that back', async () => {
    const id = await make('headline', whole({ title: 'Two of a kind', tags: [1] }))
    await open(`#/headlines/${id}`)
    await chooseMore(page, 'Duplicate')
    await page.find({ role: 'heading', name: 'New headline' })
    await page.find(field('Title'))
    await page.press('Ctrl+S')
    const copy = await page.waitFor(async () => {
      const now = await idOf(page, 'headlines')
      return now === id ? undefined : now
    }, 'the copy')
    const { title, tags, status } = await read('headline', copy)
    assert.deepEqual([title, tags, status], ['Two of a kind', [1], 'draft'])
    await chooseMore(page, 'Delete')
    await page.find({ role: 'heading', name: 'Headlines' })
    await page.click(button('Undo'))
    await page.find({ role: 'heading', name: 'Two of a kind' })
    await page.expectNoProblems()
  })

  it('keeps members that it does not know and numbers that no double can hold, and says where their JSON is wrong', async () => {
    const depth = parseExactly('12345678901234567890') as Json
    const id = await make('topic', { name: 'With more\r\nthan one line', depth, legacy: { a: [1, null] } })
    await open(`#/topics/${id}`)
    const json = field(/^Custom fields/)
    assert.match((await page.find(json)).value ?? '', /"legacy"/)
    await page.fill(json, '{\n  "legacy": 1\n  "more": 2\n}')
    await page.press('Ctrl+S')
    await page.waitFor(async () => /line 3, column 3/.test((await page.find(json)).description), 'the place of the mistake')
    await page.fill(json, '{ "legacy": { "a": 2 }, "depth": 12345678901234567890, "more": "x" }')
    await page.press('Ctrl+S')
    await said(page, 'Saved')
    const stored = await read('topic', id)
    assert.deepEqual([stored['legacy'], stored['more']], [{ a: 2 }, 'x'])
    assert.equal(stored['name'], 'With more\r\nthan one line', 'an unchanged value stays as it was')
    assert.match((await service.data('GET', `/${id}`, { model: 'topic' }, { token: cast.admin.token })).text, /"depth":12345678901234567890/)
    await page.expectNoProblems()
  })

  it('says that a document is not there, and tries again after a failure', async () => {
    await open('#/topics/000000000000000000000000')
    await page.reads(/This no longer exists/, { role: 'main' })
    await page.expectNoProblems([{ status: 404 }])
    const id = await make('topic', { name: 'Without a line' })
    await open(`#/topics/${id}`)
    await page.fill(field('Name'), 'Typed offline')
    await page.emulate({ offline: true })
    await page.press('Ctrl+S')
    await said(page, 'Not saved')
    await page.emulate({ offline: false })
    assert.equal((await page.find(field('Name'))).value, 'Typed offline')
    await page.press('Ctrl+S')
    await page.gone({ role: 'StaticText', name: 'Unsaved changes' })
    assert.equal((await read('topic', id))['name'], 'Typed offline')
    await page.expectNoProblems([{ failure: /ERR_INTERNET_DISCONNECTED/ }, { text: /ERR_INTERNET_DISCONNECTED/ }])
  })

  it('names another headline with the same address, with a link, and goes on saving', async () => {
    const id = await make('headline', whole({ title: 'New ferry line', url: 'https://harbour.example/ferry' }))
    await open('#/headlines/new')
    await page.fill(field('Link'), 'http://harbour.example/ferry/?utm_source=mail')
    await page.find({ role: 'StaticText', name: 'There is already a headline with this address:' })
    const target = await page.inspect({ role: 'link', name: /^New ferry line/ }, (a) => a.getAttribute('href'))
    assert.equal(target, `#/headlines/${id}`)
    await page.click(button('Save as draft'))
    await idOf(page, 'headlines')
    await page.expectNoProblems()
  })

  it('names another topic with the same name', async () => {
    const id = await make('topic', { name: 'Moorings' })
    await open('#/topics/new')
    await page.fill(field('Name'), 'Moorings')
    await page.find({ role: 'StaticText', name: 'This name is in use already:' })
    const target = await page.inspect({ role: 'link', name: /^Moorings/ }, (a) => a.getAttribute('href'))
    assert.equal(target, `#/topics/${id}`)
    await page.fill(field('Name'), 'Moorings of the south')
    await page.gone({ role: 'StaticText', name: 'This name is in use already:' })
    await page.expectNoProblems()
  })
})
