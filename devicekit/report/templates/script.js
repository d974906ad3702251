(function () {
  "use strict";
  var status = document.getElementById("status");

  function announce(button, text, short) {
    status.textContent = "";
    window.setTimeout(function () { status.textContent = text; }, 50);
    button.textContent = short;
    window.clearTimeout(button.timer);
    button.timer = window.setTimeout(function () { button.textContent = "Copy"; }, 2500);
  }

  function copied(button) { announce(button, "The command was copied.", "Copied"); }

  function select(code) {
    var range = document.createRange();
    range.selectNodeContents(code);
    var selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  }

  function copyWithoutClipboard(button, code) {
    var area = document.createElement("textarea");
    area.value = code.textContent;
    area.setAttribute("readonly", "");
    area.setAttribute("aria-hidden", "true");
    area.className = "unseen";
    document.body.appendChild(area);
    area.select();
    var done = false;
    try { done = document.execCommand("copy"); } catch (error) { done = false; }
    document.body.removeChild(area);
    button.focus();
    if (done) { copied(button); return; }
    select(code);
    announce(button, "The command is selected: copy it with your keyboard.", "Selected");
  }

  function copy(button) {
    var code = document.getElementById(button.getAttribute("aria-describedby"));
    if (navigator.clipboard && navigator.clipboard.writeText) {
      navigator.clipboard.writeText(code.textContent).then(
        function () { copied(button); },
        function () { copyWithoutClipboard(button, code); }
      );
    } else {
      copyWithoutClipboard(button, code);
    }
  }

  document.querySelectorAll("button.copy").forEach(function (button) {
    button.hidden = false;
    button.addEventListener("click", function () { copy(button); });
  });

  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (item) { item.open = true; });
  });
  window.addEventListener("afterprint", function () {
    opened.forEach(function (item) { item.open = false; });
    opened = [];
  });
})();
