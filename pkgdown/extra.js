// What the site needs of scripts, without any host but its own: contents of the page, copying of code, search.
(function () {
  function contents() {
    const toc = document.getElementById("toc");
    if (!toc) return;
    const heads = [...document.querySelectorAll("main h2[id], main h3[id], main .section[id] > h2, main .section[id] > h3")];
    const list = document.createElement("nav");
    list.className = "nav flex-column";
    const links = heads.map((head) => {
      const link = document.createElement("a");
      link.className = "nav-link" + (head.tagName === "H3" ? " ps-4" : "");
      link.href = "#" + (head.id || head.parentElement.id);
      link.textContent = head.textContent.trim();
      list.append(link);
      return link;
    });
    if (links.length) toc.append(list); else toc.remove();
    const mark = () => {
      const passed = heads.filter((head) => head.getBoundingClientRect().top < 120).length;
      links.forEach((link, k) => link.classList.toggle("active", k === Math.max(passed - 1, 0)));
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  }

  function copying() {
    if (!navigator.clipboard) return;
    document.querySelectorAll("div.sourceCode").forEach((block) => {
      const button = document.createElement("button");
      button.className = "copy";
      button.type = "button";
      button.textContent = "copy";
      button.addEventListener("click", () => {
        const code = block.querySelector("pre").textContent.replace(/^#>.*\n?/gm, "");
        navigator.clipboard.writeText(code).then(() => { button.textContent = "copied"; });
      });
      block.append(button);
    });
  }

  // Pages opened as files cannot read the index: then there is no search.
  function search() {
    const form = document.getElementById("search");
    if (!form || location.protocol === "file:") return;
    form.hidden = false;
    const input = form.querySelector("input");
    const results = form.querySelector("ul");
    let index = null;
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (item) => {
        const text = [item.title, item.what, item.text, item.code].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      const found = words.length && index ? index.filter(fits).slice(0, 15) : [];
      results.replaceChildren(...found.map((item) => {
        const entry = document.createElement("li");
        const link = document.createElement("a");
        const path = item.path.replace(/^https?:\/\/[^/]*/, "").replace(/^\//, "");
        link.href = form.dataset.root + path + (item.id ? "#" + item.id : "");
        link.textContent = item.what || item.title;
        const where = document.createElement("small");
        where.textContent = item.title;
        link.append(where);
        entry.append(link);
        return entry;
      }));
      results.hidden = found.length === 0;
    };
    input.addEventListener("focus", async () => {
      if (!index) index = await (await fetch(form.dataset.index)).json();
      show();
    });
    input.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  contents();
  copying();
  search();
})();
