// The moments of a recorded loop, and how each of them looks. No document is needed: the
// page's player moves what this draws, and a build writes a still of it as SVG.

// The only way of a word into a picture.
const esc = (s) => String(s).slice(0, 40).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt()};`);
export const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
const FACE = "--pst-font-family-base"; // the page's font, where it has one
const OPEN = 0.6; // of a look at the timers: from here on the gate is open
export const END = 0.999; // where a step ends and the next has not begun
const MANY = 5000; // callbacks, and timers

const pen = globalThis.document?.createElement("canvas").getContext("2d");
const size = (s) => (pen ? pen.measureText(s).width : s.length * 7.2);
/** Measure words in the font of the page from now on: it may have come just now. */
export function measure() {
  if (pen) pen.font = `600 12px ${getComputedStyle(document.documentElement).getPropertyValue(FACE) || "system-ui,sans-serif"}`;
}
measure();

/** Callbacks, timers and the steps of the film, from the numbers of a recording. */
export function decode(d) {
  const [N, K, G, D, M, O, T] = d.r;
  const [tn, by, off, due, gone] = d.t;
  if (!(N.length > 0 && N.length <= MANY && tn.length <= MANY)) throw new RangeError("too many callbacks");
  const names = d.names.map(([name, c, lane]) => ({ name: esc(name), c: c & 3, lane }));
  const recs = [], steps = [], starts = {}, ends = {};
  let at = 0, k = 0, look = 0;
  N.forEach((n, i) => {
    k += !!K[i]; // an iteration in which nothing ran is not to be seen, and has no number
    const a = at + +G[i], b = a + +D[i];
    if (K[i] || !i) {
      look = steps.length;
      steps.push({ k, i: -1, a: at, b: (starts[k] = a) });
    }
    recs.push({ i, k, a, b, w: +d.w?.[i], m: M[i] ? i - M[i] : -1, look, n: names[n], t: T[i] - 1, s: steps.length });
    steps.push({ k, i, a, b });
    ends[k] = at = b;
  });
  // Where in the film something is made: in the step of its maker, so far into it.
  const made = (m, o) => {
    const r = recs[m];
    return r ? r.s + (r.b > r.a ? clamp(o / (r.b - r.a), 0.06, 0.94) : 0.45) : -1;
  };
  const timers = tn.map((n, i) => ({
    i, n: names[n], due: +due[i], by: by[i], born: made(by[i], off[i]),
    set: recs[by[i]] ? recs[by[i]].a + +off[i] : 0, end: recs[gone[i]] ? recs[gone[i]].s + 0.5 : 1e9,
  }));
  const late = [], noticed = {};
  for (const r of recs) {
    const t = (r.timer = timers[r.t]);
    // Noticed at the first look at which it was due; where priorities count it may run later.
    const look = t && steps.findIndex((s, j) => s.i < 0 && j > t.born && s.b >= t.due);
    r.open = t && recs[r.m] ? recs[r.m].s + END : (t && look >= 0 ? Math.min(look, r.look) : r.look) + OPEN;
    r.by = t ? t.by : r.m;
    r.born = t ? t.born : made(r.m, O[r.i]);
    if (t) (t.rec = r), (t.end = r.open), (noticed[Math.floor(r.open)] = 1);
    const wake = recs[r.m]?.timer; // this is the step of a task that a timer has woken
    if (!t && wake?.n === r.n) wake.woken = r;
  }
  for (const t of timers) {
    // One that is cancelled in the queue never runs, and was noticed all the same.
    const isLook = (s, j) => j + END > t.born && s.b >= t.due && (d.between || s.i < 0);
    const j = t.rec || t.end === 1e9 ? -1 : steps.findIndex(isLook);
    t.open = j < 0 ? t.end : Math.min(t.end, j + (steps[j].i < 0 ? OPEN : END));
    if (t.open < t.end) noticed[j] = 1;
  }
  for (const t of timers)
    for (let to = (t.woken || t.rec)?.s, j = to; j >= 0 && j + END > t.born && steps[j].b >= t.due && to - j < 40; j--) late[j] = 1;
  // How long a step lasts on the screen: what is like its neighbours is hurried over.
  const dull = steps.map((s, j) => {
    const r = recs[s.i];
    if (!r) return !late[j] && s.b === s.a;
    if (late[j] && steps[j - 1].i < 0) return false;
    for (let n = 1; n < 7; n++) if (recs[s.i - n]?.n === r.n) return true;
  });
  const f = [], g = [];
  dull.forEach((is, j) => (f[j] = is ? (f[j - 1] || 0) + 1 : 0));
  for (let j = dull.length; j--; ) g[j] = dull[j] ? (g[j + 1] || 0) + 1 : 0;
  const long = recs.reduce((most, r) => Math.max(most, r.b - r.a), 1);
  let film = 0;
  steps.forEach((s, j) => {
    const away = Math.max(0, Math.min(f[j], g[j]) - 2);
    const ms = s.i < 0 ? (s.b > s.a || noticed[j] ? 900 : 320) : 450 + 750 * ((s.b - s.a) / long);
    film += s.ms = Math.max(8, ms / (1 + away * away * 0.5));
  });
  const most = Math.min(1, 4e4 / film);
  film = 0;
  for (const s of steps) (s.at = film), (film += s.ms *= most);
  const lanes = names.filter((n) => n.lane && recs.some((r) => r.n === n)).sort((x, y) => (y.c === 1) - (x.c === 1) || (x.c === 3) - (y.c === 3)).slice(0, 6);
  const top = d.w && recs.reduce((most, r) => Math.max(most, r.w), 1); // of what was watched
  const u = +d.u / 1e9, zero = +d.zero || 0;
  const digits = clamp(Math.ceil(-Math.log10(u) - 0.01), 1, 3);
  const lates = timers.some((t) => (t.woken || t.rec)?.a > t.due);
  return { recs, timers, steps, starts, ends, length: film, lanes, lates, between: !!d.between, top, watched: esc(d.watched ?? ""), u, zero, digits, end: +d.end, last: steps.length - 1 + END };
}

const secs = (d, t) => ((t + d.zero) * d.u).toFixed(d.digits);
function span(d, t) {
  const s = t * d.u, f = (x) => +x.toPrecision(3);
  return s >= 1 ? f(s) + " s" : s >= 1e-3 || !s ? f(s * 1e3) + " ms" : f(s * 1e6) + " µs";
}

/** The moment of the film at a time of the loop's clock. */
export function when(d, t) {
  const j = d.steps.findIndex((x) => x.b >= t && x.b > x.a);
  if (j < 0) return d.last;
  const s = d.steps[j];
  return j + clamp((t - s.a) / (s.b - s.a), 0, 1) * (s.i < 0 ? OPEN : END);
}

/** The moment to begin with: half-way to where the latest of all timers is noticed. */
export function poster(d) {
  const [worst] = d.timers.filter((t) => t.woken).sort((a, b) => b.woken.a - b.due - a.woken.a + a.due);
  return worst ? when(d, (worst.due + d.starts[worst.rec.k]) / 2) : END;
}

/**
 * How the moment p looks, so many pixels wide: what lies behind the chips, they, and what
 * before. A guess, in seconds, is marked in the timeline.
 */
export function frame(d, p, W, guess) {
  const wide = W > 520, s = clamp(Math.floor(p), 0, d.steps.length - 1), f = p - s, st = d.steps[s], rec = d.recs[st.i];
  const grid = 10 ** -d.digits / d.u, snap = (t) => Math.round(t / grid) * grid;
  const part = clamp(f / (rec ? END : OPEN), 0, 1), now = part === 1 ? st.b : clamp(snap(st.a + (st.b - st.a) * part), st.a, st.b);
  const L = wide ? 92 : 72, R = W - 6, S = R - (d.lates ? (wide ? 92 : 56) : 6), X = (t) => +(L + ((S - L) * t) / d.end).toFixed(1);
  const H = 26, yT = 48, yN = 90, yG = 136, yR = 152, yX = 194, yL = 250, yW = yL + d.lanes.length * 26, bottom = yW + (d.top ? 64 : 0);
  const open = !rec && f >= OPEN, back = [], front = [], chips = [];
  const text = (x, y, t, c = "k", more = "") => `<text x="${x}" y="${y}" class="${c.replace(/\w+/g, "lp-$&")}" ${more}>${t}</text>`;
  const right = 'text-anchor="end"', middle = 'text-anchor="middle"';
  const box = (x, y, w, h, r, more) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" ${more}/>`;
  const fit = (n) => {
    while (n.length > 2 && size(n) > L - 4) n = n.replace(/.…?$/, "…");
    return n;
  };
  const tidy = (n) => (n.length > (wide ? 14 : 9) ? n.slice(0, wide ? 13 : 8) + "…" : n);

  // Where everybody is.
  const T = [], now_ = [], next = [];
  for (const t of d.timers) if (p >= t.born && p < t.open) T.push({ key: "t" + t.i, n: t.n, t, by: t.by, late: now - t.due, y: yT + 4 });
  T.sort((a, b) => a.t.due - b.t.due);
  let inThread, done;
  for (const r of d.recs) {
    if (r.born > p || p > r.s + 2 || (r.timer && p < r.open)) continue;
    const c = { key: r.timer ? "t" + r.t : "r" + r.i, n: r.n, t: r.timer, by: r.by };
    if (p < r.open) next.push(c);
    else if (p < r.s) now_.push(c);
    else if (p < r.s + 1) inThread = c;
    else done = c;
  }
  for (const t of d.timers) {
    if (p < t.open || p >= t.end || t.rec) continue;
    const at = now_.findIndex((c) => c.t?.due > t.due);
    now_.splice(at < 0 ? now_.length : at, 0, { key: "t" + t.i, n: t.n, t, by: t.by });
  }

  for (const [y, label] of [[yT, "timers"], [yN - 4, wide ? "next iteration" : "next"], [yR, wide ? "this iteration" : "now"], [yX, "thread"]])
    back.push(box(L, y, R - L, H + 8, 8, 'class="lp-tr"') + text(0, y + 21, label));
  back.push(text(0, yG + 4, wide ? "ready queue" : "ready", "rq") + `<path class="lp-br" d="M${L - 4} ${yN}h-5V${yR + 30}h5"/>`);
  back.push(text(0, 28, secs(d, now) + " s", "big") + text(R, 28, "iteration " + (st.k - d.steps[0].k + 1), "", right + ' style="font-size:13px"'));

  // The gate: what is above it waits until the iteration is over.
  const left = snap((d.between ? st.b : d.ends[st.k]) - now), until = rec && left > 0 ? `in ${span(d, left)}` : now_.length ? "after these" : "now";
  const word = (wide ? "gate " : "") + (open ? "open" : "opens " + until);
  const ww = size(word) + 44, gx = R - 10 - ww, taken = [[yG, gx, gx + ww]]; // what an arrow must pass by
  const eye = (x, y, c) => `<path class="lp-e ${c && "lp-" + c}" d="M${x} ${y}q8 ${open ? -10 : 8} 16 0${open ? "q-8 10 -16 0zm8 -1.5a1.5 1.5 0 1 0 .01 0" : "m-14 3l-2 3m8 -1v3.5m6 -5.5l2 3"}"/>`;
  front.push(`<path class="lp-gate" d="M${L + 2} ${yG}H${open ? L + 26 : R - 2}M${R - 2} ${yG}h${open ? -8 : 0}"/>`,
    box(gx, yG - 9, ww, 22, 11, `class="lp-sign${open ? "" : " lp-shut"}"`), eye(gx + 11, yG + (open ? 2 : -1), open ? "" : "shut"), text(gx + 34, yG + 6, word, open ? "s" : "s shut"));
  if (open) front.push(box(L, yT, R - L, H + 8, 8, 'class="lp-eye"') + eye(R - 26, yT + 17, ""));

  const more = (n) => (wide ? n + " more" : "+" + n);
  const row = (list, y) => {
    let x = L + (y > yG ? 20 : 4);
    const label = (c) => (c.t && !c.y && wide ? `${tidy(c.n.name)}: timer` : c.y ? `${secs(d, c.t.due)} ${tidy(c.n.name)}${c.late > 0 ? (wide || list.length < 2 ? `, ${span(d, c.late)} late` : ` +${span(d, c.late)}`) : ""}` : tidy(c.n.name));
    const width = (c) => size(label(c)) + (c.t ? 36 : 18), room = R - x - 4;
    const add = (key, c, w, words, icon, due, gap) => {
      chips.push({ key, x, y, w, cls: "lp" + c.n.c + (due ? " lp-due" : ""), label: words, icon, o: 1 });
      if (rec && c.by === st.i && y !== yR + 4) {
        const free = (q) => !taken.some(([at, a, b]) => at > y && q > a - 3 && q < b + 3);
        let at = x + Math.min(w / 2, 30);
        for (let q = x + 6; !free(at) && q < x + w - 4; q += 3) if (free(q)) at = q;
        back.push(`<path class="lp-ar lp${c.n.c}" d="M${at} ${yX + 2}V${y + H + 3}m-5 5l5 -5 5 5"/>`);
      }
      taken.push([y, x, x + w + gap - 6]);
      x += w + gap;
    };
    const addCallback = (c) => add(c.key, c, width(c), label(c), !!c.t, c.late >= 0, 6);
    let n = list.length, used = 0;
    const last = y === yT + 4 ? 0 : 1; // of callbacks the last is shown too, of timers only the first
    if (n > 40 || list.reduce((q, c) => q + width(c) + 6, 0) > room) {
      const most = room - last * width(list[n - 1]) - size(more(n)) - 38 - 6 * last;
      for (n = 0; n < list.length - 2 && (used += width(list[n]) + 6) < most; ) n++;
      n ||= 1 - last;
    }
    list.slice(0, n).forEach(addCallback);
    if (n === list.length) return;
    const rest = list.length - n - last, c = { ...list[n], by: list.at(-1 - last).by }, w = size(more(rest)) + 18;
    if (rest) {
      for (const o of [6, 3]) back.push(box(x + o, y + o / 2, w, H - o, 6, `class="lp-ar lp${c.n.c}" opacity=".4"`));
      add("m" + y, c, w, more(rest), false, false, 14);
    }
    if (last) addCallback(list.at(-1));
  };
  row(now_, yR + 4);
  row(next, yN);
  row(T, yT + 4);

  // The thread.
  const w = R - L - 8;
  for (const c of [done, inThread]) if (c) chips.push({ key: c.key, x: L + 4, y: yX + 4, w, cls: `lp-run lp${c.n.c}`, label: c.t ? `${c.n.name}: its timer` : c.n.name, icon: !!c.t, o: c === done ? 0 : 1 });
  const lasts = st.b - st.a;
  if (rec) front.push(box(L + 4, yX + 4, lasts ? (w * (now - st.a)) / lasts : 0, H, 6, `class="lp-b lp${rec.n.c}" opacity=".3"`) + text(R - 14, yX + 21, lasts ? `${span(d, now - st.a)} of ${span(d, lasts)}` : "takes no time", "", right));
  else back.push(text(L + 12, yX + 21, lasts && !open ? `idle for ${span(d, lasts)}` : "looks at its timers"));

  // The timeline, up to now.
  let odd = 0, band = "";
  for (const k in d.starts) {
    const a = d.starts[k], b = Math.min(now, d.ends[k]);
    if (b > a && odd++ % 2 === 0) band += `M${X(a)} ${yL - 6}H${X(b)}V${bottom}H${X(a)}z`;
  }
  back.push(`<path class="lp-it" d="${band}"/>`);
  d.lanes.forEach((lane, j) => {
    const y = yL + j * 26, c = `class="lp${lane.c}"`;
    let path = "", ticks = "";
    for (const r of d.recs) {
      if (r.n !== lane || r.s > p || r.timer) continue;
      const a = X(r.a), q = X(Math.min(now, r.b)) - a;
      if (r.b === r.a) ticks += `M${a} ${y + 4}v8`;
      else path += `M${a} ${y}h${(q > 5 ? q - 1 : Math.max(1.5, q)).toFixed(1)}v16H${a}z`;
    }
    back.push(`<g ${c}>` + text(0, y + 13, fit(lane.name), "l"));
    front.push(`<g ${c}>`);
    // Of many sleeps on one line only the last that was due, and the next, are told.
    const sleeps = d.timers.filter((t) => t.n === lane && t.born <= p && (t.rec || t.end > p)).sort((a, b) => a.due - b.due);
    const latest = sleeps.findLast((t) => t.due <= now), coming = sleeps.find((t) => t.due > now), crowd = sleeps.length > 6;
    for (const t of sleeps) {
      const to = Math.min(now, (t.woken || { a: t.rec ? t.rec.b : now }).a);
      if (crowd && t !== latest && t !== coming) {
        if (to > t.due) back.push(`<path class="lp-w" opacity=".35" d="M${X(t.due)} ${y + 8}H${X(to)}"/>`);
        continue;
      }
      back.push(`<path class="lp-sl" d="M${X(Math.max(0, t.set))} ${y + 8}H${X(Math.min(t.due, d.end))}"/>`);
      if (t.due <= d.end) front.push(`<circle class="lp-pin" cx="${X(t.due)}" cy="${y + 8}" r="4"/>`);
      if (to <= t.due) continue;
      front.push(`<path class="lp-w" d="M${X(t.due) + 4} ${y + 8}H${X(to)}"/>`);
      let a = t.due;
      // One number for each iteration that the sleep has touched.
      [t.rec && d.starts[t.rec.k], t.rec && d.ends[t.rec.k], t.woken?.a].forEach((b, n) => {
        const x = (X(a) + X(b)) / 2 + 1;
        if (b > a && to >= b && X(b) - X(a) > 16) front.push(`<circle class="lp-b" cx="${x}" cy="${y + 8}" r="7.5"/>` + text(x, y + 12, n + 1, "no", middle));
        a = Math.max(a, b);
      });
      if (t !== latest) continue;
      const words = span(d, to - t.due), full = words + " late";
      front.push(text(X(to) + 8, y + 12, X(to) + 10 + size(full) < W ? full : "+" + words, "l halo"));
    }
    back.push(`<path class="lp-ar" opacity=".6" d="${ticks}"/><path class="lp-b" d="${path}"/></g>`);
    front.push("</g>");
  });
  let level = "";
  if (d.top) {
    const Y = (n) => (yW + 58 - (40 * n) / d.top).toFixed(1);
    let n = 0, path = `M${L} ${Y(0)}`;
    for (const r of d.recs) if (r.s + (part < 1) <= s) path += `H${X(r.b)}V${Y((n = r.w))}`;
    back.push(`<path class="lp-lv" d="${path}H${X(now)}"/>` + text(L, yW + 10, d.watched, "k"));
    front.push(text(X(now) + 6, +Y(n) + 4, n, "s halo"));
    level = ` ${n} ${d.watched}.`;
  }
  const raw = d.end / (wide ? 6 : 4), mag = 10 ** Math.floor(Math.log10(raw)), tick = [1, 2, 2.5, 5, 10].map((x) => x * mag).find((x) => x >= raw) || 1;
  back.push(`<path class="lp-ax" d="M${L} ${bottom + 2}H${S}"/>`);
  for (let t = Math.ceil(d.zero / tick) * tick - d.zero; t <= d.end; t += tick) back.push(`<path class="lp-ax" d="M${X(t)} ${bottom + 2}v5"/>` + text(X(t), bottom + 19, +secs(d, t), "k", middle));
  const key = ["↑ put there by what runs", ...(d.lates ? ["1 unnoticed, 2 the timer’s turn, 3 the task’s turn"] : [])];
  (wide ? [key.join(" · ")] : key).forEach((words, n) => back.push(text(wide ? L : 0, bottom + 38 + 16 * n, words, "k key")));
  const g = guess / d.u - d.zero;
  if (g >= 0 && g <= d.end) front.push(`<path class="lp-guess" d="M${X(g)} ${yL - 6}V${bottom + 2}"/>` + text(X(g), yL - 10, "your guess", "k halo", middle));
  back.push(`<path class="lp-cur" d="M${X(now)} ${yL - 12}V${bottom + 2}"/><path d="M${X(now) - 6} ${yL - 16}h12l-6 8z" fill="var(--i)"/>`);
  const words = `${secs(d, now)} s, iteration ${st.k - d.steps[0].k + 1}: ${rec ? `${rec.timer ? "the timer of " : ""}${rec.n.name} runs for ${span(d, lasts)}` : "the loop looks at its timers"}. Ready: ${now_.length} now, ${next.length} for the next iteration. Timers: ${T.length}${T[0]?.late > 0 ? `, one due and not noticed, ${span(d, T[0].late)} late` : ""}.${level}`;
  return { back: back.join(""), front: front.join(""), chips, words, height: bottom + 42 + (wide ? 0 : 16 * (key.length - 1)), ms: st.ms, now, queued: [now_.length, next.length, T.length], left: L, right: S, top: yL - 16, from: rec && { x: L + 20, y: yX + 4 } };
}
